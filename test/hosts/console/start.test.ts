import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseScreen } from '../../../electron/hosts/console/choose-screen.ts'
import { findElectron } from '../../../electron/hosts/console/find-electron.ts'
import { readStart, startEnvironment } from '../../../electron/hosts/console/start.ts'
import { dataFolder } from '../cli/run-cli.ts'

const linux = {
  web: false,
  electron: '/e/electron',
  platform: 'linux' as const,
  env: { DISPLAY: ':0' },
  isRoot: false,
}

it.each([
  [{}, { kind: 'window', electron: '/e/electron' }],
  [{ env: { WAYLAND_DISPLAY: 'wayland-0' } }, { kind: 'window' }],
  [{ env: {}, platform: 'darwin' as const }, { kind: 'window' }],
  [{ env: {}, platform: 'win32' as const }, { kind: 'window' }],
  [{ web: true }, { kind: 'browser', why: null }],
  [
    { web: true, electron: null },
    { kind: 'browser', why: null },
  ],
  [{ electron: null }, { kind: 'browser', why: expect.stringMatching(/^No Electron binary is installed/) }],
  [{ env: {} }, { why: 'There is no display, so the console is served to your browser.' }],
  [
    { isRoot: true },
    { why: 'A window run by root would need its sandbox off, so the console is served to your browser.' },
  ],
])('shows the console where it can be shown: %j', (situation, screen) => {
  expect(chooseScreen({ ...linux, ...situation })).toMatchObject(screen)
})

it('finds Electron where the package or the variable says, and asks nobody', () => {
  const folder = dataFolder()
  const home = join(folder, 'node_modules', 'electron')
  const from = join(folder, 'dist', 'node')
  mkdirSync(join(home, 'dist'), { recursive: true })
  expect(findElectron(from, {}, 'linux')).toBeNull()
  writeFileSync(join(home, 'path.txt'), 'electron')
  expect(findElectron(from, {}, 'linux')).toBeNull()
  writeFileSync(join(home, 'dist', 'electron'), '')
  expect(findElectron(from, {}, 'linux')).toBe(join(home, 'dist', 'electron'))
  expect(findElectron(from, { ELECTRON_OVERRIDE_DIST_PATH: '/nonexistent' }, 'linux')).toBeNull()
  expect(findElectron('/', { ELECTRON_OVERRIDE_DIST_PATH: join(home, 'dist') }, 'linux')).toBe(
    join(home, 'dist', 'electron'),
  )
})

it('reads what to open from the options, the environment and the file, in this order', () => {
  const file = join(dataFolder(), 'some.env')
  writeFileSync(file, 'LOCKKEEPER_PASSWORD=of-the-file\nLOCKKEEPER_STORES=memory:c\n')
  expect(readStart({}, { stores: ['memory:a'], envFile: file })).toMatchObject({
    stores: ['memory:a', 'memory:c'],
    password: 'of-the-file',
    practice: true,
  })
  expect(
    readStart({ LOCKKEEPER_ENV_FILE: file, LOCKKEEPER_PASSWORD: 'mine', LOCKKEEPER_STORES: ' memory:x\n' }),
  ).toMatchObject({ stores: ['memory:x'], password: 'mine' })
  expect(readStart({})).toMatchObject({ stores: [], envFile: null })
})

it('gives another process the same start', () => {
  const start = readStart({ LOCKKEEPER_STORES: 'memory:b' }, { stores: ['redis://h/0?match=a b'] })
  const env = startEnvironment({ HOME: '/h' }, start)
  expect(env).toEqual({ HOME: '/h', LOCKKEEPER_STORES: 'redis://h/0?match=a%20b memory:b' })
  expect(readStart(env).stores).toHaveLength(2)
})
