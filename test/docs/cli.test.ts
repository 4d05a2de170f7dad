import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../electron/hosts/cli/commands.ts'
import { EXIT } from '../../electron/hosts/cli/lib/exit.ts'

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')

it('shows every command with the usage that the program parses', () => {
  const documented = [...page.matchAll(/^lockkeeper (\S+) +(.*(?:\n {10,}.*)*)$/gm)]
    .map(([, name, usage = '']) => [name, usage.replace(/\n +/g, '\n')])
    .slice(0, COMMANDS.flatMap(({ usage }) => usage).length)
  expect(documented).toEqual(COMMANDS.flatMap(({ name, usage }) => usage.map(form => [name, form])))
})

it('explains every exit code', () => {
  const codes = [...page.matchAll(/^\| (\d) /gm)].map(([, code]) => Number(code))
  expect(codes).toEqual([...Object.values(EXIT)].sort())
})
