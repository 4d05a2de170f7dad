import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operator } from './plans/plan-cli.ts'

it('prints the key of the installation, and trusts and forgets others by name', async () => {
  const [ana, ben] = [operator(), operator()]
  const shown = await ben.run('keys')
  const [, key = ''] =
    /^This installation signs its plans with ([0-9a-f]{64})\nPlans of other installations are refused\.\n$/.exec(
      shown.stdout,
    ) ?? []
  expect((await ben.run('keys', '--json')).json()).toMatchObject({ own: key, trusted: [], notice: null })
  const trusted = await ana.run('keys', '--trust', 'ben \x1b[31m', key.toUpperCase())
  expect(trusted).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Plans of these are accepted, too:\n  ${key}  ben \\x1b[31m\n`),
  })
  expect(await ana.run('keys', '--forget', 'someone')).toMatchObject({
    code: 4,
    stderr: 'lockkeeper: No key is trusted as someone\n',
  })
  expect(await ana.run('keys', '--forget', 'ben \x1b[31m')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Plans of other installations are refused.\n'),
  })
  for (const wrong of [[], ['short'], [`${key}00`], [key.slice(0, 16)]])
    expect(await ana.run('keys', '--trust', 'ben', ...wrong)).toMatchObject({ code: 2, stdout: '' })
})

it('names the file of a key that other users may read, and replaces it on request', async () => {
  const o = operator()
  const own = async () => (await o.run('keys', '--json')).json()['own']
  const before = await own()
  const file = join(o.env.LOCKKEEPER_DATA_DIR, 'installation.key')
  chmodSync(file, 0o640)
  expect(await o.run('keys')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Run chmod 600 ${file};`),
  })
  const renewed = await o.run('keys', '--new')
  expect(renewed.stdout).toMatch(/^This installation signs its plans with [0-9a-f]{64}\n/)
  expect(await own()).not.toBe(before)
  expect(renewed.stdout).toContain(String(await own()))
})
