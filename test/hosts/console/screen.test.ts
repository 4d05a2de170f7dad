import { expect, it } from 'vitest'
import { chooseScreen } from '../../../electron/hosts/console/screen.ts'

const linux = {
  web: false,
  electron: '/e/electron',
  installable: null,
  platform: 'linux' as const,
  env: { DISPLAY: ':0' },
  isRoot: false,
}
const missing = { electron: null, installable: '/checkout/node_modules/electron' }
const noDisplay = 'There is no display, so the console is served to your browser.'
const noSandbox = 'A window run by root would need its sandbox off, so the console is served to your browser.'

it.each([
  [{}, { kind: 'window', electron: '/e/electron' }],
  [{ env: { WAYLAND_DISPLAY: 'wayland-0' } }, { kind: 'window' }],
  [{ env: {}, platform: 'darwin' as const }, { kind: 'window' }],
  [{ env: {}, platform: 'win32' as const }, { kind: 'window' }],
  [missing, { kind: 'install', home: '/checkout/node_modules/electron' }],
  [{ ...missing, env: {}, platform: 'darwin' as const }, { kind: 'install' }],
])('opens a window where there can be one, with a download first in a checkout: %j', (situation, screen) => {
  expect(chooseScreen({ ...linux, ...situation })).toMatchObject(screen)
})

it.each([
  [{ web: true }, null],
  [{ web: true, ...missing }, null],
  [{ electron: null }, 'Electron is not installed, so the console is served to your browser.'],
  [{ env: {} }, noDisplay],
  [{ env: {}, ...missing }, noDisplay],
  [{ isRoot: true }, noSandbox],
  [{ isRoot: true, ...missing }, noSandbox],
])('serves the browser otherwise, downloads nothing, and says why: %j', (situation, why) => {
  expect(chooseScreen({ ...linux, ...situation })).toEqual({ kind: 'browser', why })
})
