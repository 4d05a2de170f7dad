import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { installElectron } from '../../../electron/hosts/console/install-electron.ts'
import { dataFolder } from '../cli/run-cli.ts'

/** What the package's installer does, in the order in which it does it. */
const UNPACK = `
const { mkdirSync, writeFileSync, appendFileSync } = require('node:fs')
const { join } = require('node:path')
appendFileSync(join(__dirname, 'runs'), process.env.LOCKKEEPER_STORES === undefined ? '1' : 'leak')
mkdirSync(join(__dirname, 'dist'), { recursive: true })
writeFileSync(join(__dirname, 'dist', 'electron'), 'program')
`
const FINISH = `writeFileSync(join(__dirname, 'path.txt'), 'electron')`
const WAIT = `setInterval(() => {
  if (require('node:fs').existsSync(join(__dirname, 'go'))) { ${FINISH}; process.exit(0) }
}, 20)`
const HANG = `setInterval(() => {}, 1000)`

function packageWith(installer: string) {
  const home = join(dataFolder(), 'electron')
  mkdirSync(home)
  writeFileSync(join(home, 'install.js'), installer)
  const said: string[] = []
  const stop = new AbortController()
  return {
    home,
    said,
    stop: () => stop.abort(),
    runs: () => readFileSync(join(home, 'runs'), 'utf8'),
    isUnpacking: () => existsSync(join(home, 'dist', 'electron')),
    isEmpty: () => !existsSync(join(home, 'dist')) && !existsSync(join(home, 'path.txt')),
    install: (limitMs = 60_000) =>
      installElectron({
        home,
        env: {
          ...process.env,
          LOCKKEEPER_STORES: 'redis://:hunter2@cache/0',
          LOCKKEEPER_PASSWORD_A: 'hunter2',
        },
        signal: stop.signal,
        log: line => said.push(line),
        limitMs,
      }),
  }
}

const browser = (why: string) => ({
  kind: 'browser',
  why: `${why}, so the console is served to your browser.`,
})

it('downloads Electron once, with a notice, and gives the installer no addresses', async () => {
  const electron = packageWith(UNPACK + FINISH)
  const window = { kind: 'window', electron: join(electron.home, 'dist', 'electron') }
  expect(await electron.install()).toEqual(window)
  expect(electron.said).toEqual([expect.stringMatching(/^Downloading Electron for the window, this once/)])
  expect(await electron.install()).toEqual(window)
  expect(electron.runs()).toBe('1')
})

it('lets one of two consoles that start at once download it', async () => {
  const electron = packageWith(`${UNPACK}${WAIT}`)
  const first = electron.install()
  await expect.poll(electron.isUnpacking).toBe(true)
  expect(await electron.install()).toEqual(browser('Another process is downloading Electron'))
  writeFileSync(join(electron.home, 'go'), '')
  expect(await first).toMatchObject({ kind: 'window' })
  expect(electron.runs()).toBe('1')
})

it('says in a sentence why the installer failed, and leaves nothing of its download', async () => {
  const electron = packageWith(
    `${UNPACK}const cause = new TypeError('fetch failed: getaddrinfo ENOTFOUND github.com')
     console.error(cause.stack); process.exit(1)`,
  )
  expect(await electron.install()).toEqual(
    browser('Electron could not be downloaded (fetch failed: getaddrinfo ENOTFOUND github.com)'),
  )
  expect(electron.isEmpty()).toBe(true)
  const silent = packageWith('process.exit(3)')
  expect(await silent.install()).toEqual(
    browser('Electron could not be downloaded (its installer ended with 3)'),
  )
})

it('repeats no advice of the installer to run a package', async () => {
  const electron = packageWith(
    `console.error('Error: Electron failed to install. Please run "npx install-electron".'); process.exit(1)`,
  )
  expect(await electron.install()).toEqual(
    browser('Electron could not be downloaded (its installer ended with 1)'),
  )
})

it('kills an installer that hangs when its time is up', async () => {
  const electron = packageWith(`${UNPACK}process.on('SIGTERM', () => {});${HANG}`)
  expect(await electron.install(1000)).toEqual(browser('Electron could not be downloaded within 1 s'))
  expect(electron.isEmpty()).toBe(true)
})

it('kills the installer on Ctrl-C, and leaves nothing of its download', async () => {
  const electron = packageWith(UNPACK + HANG)
  const installed = electron.install()
  await expect.poll(electron.isUnpacking).toBe(true)
  electron.stop()
  expect(await installed).toMatchObject({ kind: 'browser' })
  expect(electron.isEmpty()).toBe(true)
})

it('replaces what a killed installer left', async () => {
  const electron = packageWith(UNPACK + FINISH)
  mkdirSync(join(electron.home, 'dist'))
  writeFileSync(join(electron.home, 'dist', 'half.pak'), 'half')
  expect(await electron.install()).toMatchObject({ kind: 'window' })
  expect(existsSync(join(electron.home, 'dist', 'half.pak'))).toBe(false)
})
