import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findElectron, findInstallable } from '../../../electron/hosts/console/electron.ts'
import { dataFolder } from '../cli/run-cli.ts'

it('finds Electron where the package or the variable says', () => {
  const folder = dataFolder()
  const home = join(folder, 'node_modules', 'electron')
  const from = join(folder, 'dist', 'node')
  mkdirSync(join(home, 'dist'), { recursive: true })
  writeFileSync(join(home, 'dist', 'electron'), '')
  writeFileSync(join(home, 'path.txt'), 'electron')
  expect(findElectron(from, {}, 'linux')).toBe(join(home, 'dist', 'electron'))
  expect(findElectron(from, { ELECTRON_OVERRIDE_DIST_PATH: '/nonexistent' }, 'linux')).toBeNull()
  expect(findElectron('/', { ELECTRON_OVERRIDE_DIST_PATH: join(home, 'dist') }, 'linux')).toBe(
    join(home, 'dist', 'electron'),
  )
})

it('takes no program whose unpacking was interrupted', () => {
  const folder = dataFolder()
  const home = join(folder, 'node_modules', 'electron')
  mkdirSync(join(home, 'dist'), { recursive: true })
  expect(findElectron(folder, {}, 'linux')).toBeNull()
  writeFileSync(join(home, 'dist', 'electron'), 'the first half')
  expect(findElectron(folder, {}, 'linux')).toBeNull()
})

it('runs the installer of a checkout only: an installed package downloads nothing', () => {
  const folder = dataFolder()
  const dist = join(folder, 'dist')
  const home = join(folder, 'node_modules', 'electron')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'install.js'), '')
  expect(findInstallable(dist, {})).toBeNull()
  mkdirSync(join(folder, 'electron'))
  writeFileSync(join(folder, 'electron', 'main.ts'), '')
  expect(findInstallable(dist, {})).toBe(home)
  expect(findInstallable(dist, { ELECTRON_OVERRIDE_DIST_PATH: '/somewhere' })).toBeNull()
})
