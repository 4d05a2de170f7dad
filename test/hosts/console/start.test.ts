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
    practice: true,
  })
  expect(
    readStart({ LOCKKEEPER_ENV_FILE: file, LOCKKEEPER_PASSWORD: 'mine', LOCKKEEPER_STORES: ' redis://x\n' }),
  ).toMatchObject({ stores: ['redis://:mine@x:6379/0'] })
  expect(readStart({})).toMatchObject({ stores: [], envFile: null })
})

it('hands the same start to the process of the window, with each password in its own address', () => {
  const file = join(dataFolder(), 'some.env')
  writeFileSync(file, 'LOCKKEEPER_PASSWORD_MYSQL_USER_ops_AT_M=of-the-file\n')
  const variables = { LOCKKEEPER_STORES: 'memory:b', LOCKKEEPER_PASSWORD_REDIS_AT_H: 'p w@' }
  const start = readStart(variables, { stores: ['redis://h/0?match=a b', 'mysql://ops@m/d'], envFile: file })
  const env = startEnvironment({ HOME: '/h', ...variables }, start)
  const stores = 'redis://:p%20w%40@h:6379/0?match=a%20b mysql://ops:of-the-file@m:3306/d memory:b'
  expect(env).toEqual({
    HOME: '/h',
    LOCKKEEPER_STORES: stores,
    LOCKKEEPER_PASSWORD: '',
    LOCKKEEPER_ENV_FILE: file,
  })
  expect(readStart(env).stores).toEqual(start.stores)
})

it('names an invalid address by its place and kind, without its text', () => {
  const start = (stores: string) => readStart({ LOCKKEEPER_STORES: stores })
  expect(() => start('memory:a redis://u:p/w@cache/0')).toThrow(
    /^Address 2 of LOCKKEEPER_STORES \(redis:\/\/\) is not valid: Write \/ as %2F/,
  )
  expect(() => start('redis://:two words@h/0')).toThrow(
    /^Address 1 of LOCKKEEPER_STORES \(redis:\/\/\) is not valid: (?!.*words)/,
  )
})
