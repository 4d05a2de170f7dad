import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Where scripts/ensure-electron.mjs puts the Electron that the tests run. */
export const TEST_ELECTRON = join(MODULES, '.cache', 'lockkeeper', 'electron-42.0.0')

/**
 * The Electron program that the tests run, or null.
 * @returns {string | null}
 */
export function findTestElectron() {
  const candidates = [
    join(TEST_ELECTRON, 'electron'),
    join(MODULES, 'electron', 'dist', 'electron'),
    join(MODULES, 'electron', 'dist', 'electron.exe'),
    join(MODULES, 'electron', 'dist', 'Electron.app', 'Contents', 'MacOS', 'Electron'),
  ]
  return candidates.find(path => existsSync(path)) ?? null
}
