import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { envCopies } from './env-copies.ts'

/** What another program does right before the new version of a file is written beside it. */
let interfere = () => {}

vi.mock(import('node:fs/promises'), async original => {
  const fs = await original()
  const open: typeof fs.open = (path, ...rest) => {
    if (String(path).endsWith('.new')) interfere()
    return fs.open(path, ...rest)
  }
  return { ...fs, open }
})

const { changeEnvFile, previewEnv } = await import('../../../../electron/core/features/switch/env-file.ts')

it('a change by another program while the new version is being written is never overwritten', async () => {
  const folder = realpathSync(dataFolder())
  const path = join(folder, '.env')
  const data = dataFolder()
  writeFileSync(path, 'LOCK_PROVIDER=redis\n')
  const { digest } = await previewEnv(path, 'mysql', data)
  const edited = 'LOCK_PROVIDER=redis\nTOKEN=rotated\n'
  interfere = () => writeFileSync(path, edited)
  await expect(changeEnvFile(path, 'mysql', digest, data)).rejects.toThrow(
    'was changed by another program just now',
  )
  expect(readFileSync(path, 'utf8')).toBe(edited)
  expect(readdirSync(folder)).toEqual(['.env'])
  expect(envCopies(data)).toHaveLength(1)
})
