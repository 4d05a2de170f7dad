import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findTestElectron } from '../servers/find-electron.mjs'
import { ROOT } from '../source-files.ts'
import { cleanEnvironment, mayUnshare, newDataFolder } from './console.ts'
import { displayName } from './display.ts'

const isRoot = process.getuid?.() === 0

/** Does what the electron package's installer does at its end, with the test's Electron. */
const INSTALL = `
const { symlinkSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
symlinkSync(${JSON.stringify(dirname(findTestElectron() ?? ''))}, join(__dirname, 'dist'))
writeFileSync(join(__dirname, 'path.txt'), 'electron')
`
const FAIL = `console.error(new TypeError('fetch failed').stack); process.exit(1)`

/** What `npm ci` and a build leave of this repository, with another installer in the electron package. */
function checkout(installer: string, { hasSources = true } = {}): string {
  const folder = join(newDataFolder(), 'checkout')
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'electron'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== 'electron' && !name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  writeFileSync(join(modules, 'electron', 'install.js'), installer)
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  if (hasSources) {
    mkdirSync(join(folder, 'electron'))
    writeFileSync(join(folder, 'electron', 'main.ts'), '')
  }
  return folder
}

/** `npm start` after its build, by an account that is not root. */
async function start(folder: string, args: readonly string[] = []) {
  const data = newDataFolder()
  const command = [
    process.execPath,
    '--',
    join(folder, 'dist/node/cli.js'),
    'console',
    '--port',
    '0',
    ...args,
  ]
  const nobody = isRoot ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : []
  const [program = '', ...rest] = [...nobody, ...command]
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnvironment(data, { DISPLAY: await displayName() }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.stderr += text
  })
  return {
    output,
    /** Whether a window of the console shows its page. */
    hasPage: () => descendants(child.pid ?? 0).some(each => each.includes('--type=renderer')),
    /** The window says where it was when it is closed. */
    wasShown: () => existsSync(join(data, 'window.json')),
    async end() {
      child.kill('SIGINT')
      return (await exited)[0]
    },
  }
}

/** The command lines of the processes that this one started, and of those that they started. */
function descendants(pid: number): string[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter(each => /^\d+$/.test(each)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It has ended since.
    }
  const isOurs = (each: number): boolean => each === pid || (each > 1 && isOurs(parents.get(each) ?? 0))
  return [...parents.keys()].filter(isOurs).flatMap(each => {
    try {
      return [readFileSync(`/proc/${each}/cmdline`, 'utf8')]
    } catch {
      return []
    }
  })
}

// Chromium's sandbox needs an account that is not root, or a user namespace to play one.
describe.skipIf(process.platform !== 'linux' || (isRoot && !mayUnshare()))('npm start on a desktop', () => {
  it('installs Electron when it is missing, once, and opens the window', async () => {
    const folder = checkout(INSTALL)
    for (const stderr of [expect.stringContaining('Downloading Electron for the window'), '']) {
      const console = await start(folder)
      await expect.poll(console.hasPage).toBe(true)
      expect(console.output.stdout).toBe('')
      const says = console.output.stderr.split('\n').filter(line => line.startsWith('lockkeeper: '))
      expect(says.join('\n')).toEqual(stderr)
      expect(await console.end()).toBe(0)
      expect(console.wasShown()).toBe(true)
    }
  })

  it('serves the browser when Electron cannot be installed, and says why in a sentence', async () => {
    const console = await start(checkout(FAIL))
    await expect
      .poll(() => console.output.stdout)
      .toMatch(
        /^Electron could not be downloaded \(fetch failed\), so the console is served to your browser\.\nLockkeeper is at http/,
      )
    expect(await console.end()).toBe(0)
  })

  it('installs nothing with --web', async () => {
    const console = await start(checkout('process.exit(9)'), ['--web'])
    await expect.poll(() => console.output.stdout).toMatch(/^Lockkeeper is at http/)
    expect(await console.end()).toBe(0)
    expect(console.output.stderr).toBe('')
  })

  it('installs nothing in an installed package, which has no sources', async () => {
    const console = await start(checkout('process.exit(9)', { hasSources: false }))
    await expect
      .poll(() => console.output.stdout)
      .toMatch(
        /^Electron is not installed, so the console is served to your browser\.\nLockkeeper is at http/,
      )
    expect(await console.end()).toBe(0)
    expect(console.output.stderr).toBe('')
  })

  it('serves the browser when Electron is installed and cannot be started', async () => {
    const folder = checkout(`
      const { mkdirSync, writeFileSync } = require('node:fs')
      mkdirSync(__dirname + '/dist')
      writeFileSync(__dirname + '/dist/electron', '#!/bin/sh\\nkill -TRAP $$\\n', { mode: 0o755 })
      writeFileSync(__dirname + '/path.txt', 'electron')`)
    const console = await start(folder)
    await expect
      .poll(() => console.output.stdout)
      .toMatch(/^The window could not be opened \(SIGTRAP\), so the console is served to your browser\.\n/)
    expect(await console.end()).toBe(0)
  })
})
