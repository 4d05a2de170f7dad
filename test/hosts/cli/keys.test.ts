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
