import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readStart, startEnvironment } from '../../../electron/hosts/console/start.ts'
import { dataFolder } from '../cli/run-cli.ts'

it('reads which stores to open from the options, the environment and the file, in this order', () => {
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

it('hands the same start to the process of the window', () => {
  const start = readStart({ LOCKKEEPER_STORES: 'memory:b' }, { stores: ['redis://h/0?match=a b'] })
  const env = startEnvironment({ HOME: '/h' }, start)
  expect(env).toEqual({ HOME: '/h', LOCKKEEPER_STORES: 'redis://h/0?match=a%20b memory:b' })
  expect(readStart(env).stores).toHaveLength(2)
})
