import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../../electron/hosts/cli/commands.ts'
import { didYouMean, parse } from '../../../../electron/hosts/cli/lib/args.ts'

const usage = [
  '<store> <key> --for 30m [--once] [--pass STEP]... [--confirm "NAME COUNT"...]',
  '--extend <hold id> --for 10m',
]
const args = (...argv: string[]) => parse('hold', usage, argv)

describe('arguments are parsed by the usage that the help prints', () => {
  it('takes options with and without a value, and repeated ones if the usage allows it', () => {
    expect(
      args('redis:', 'a', '--for', '1h', '--once', '--pass', 'x', '--pass=y', '--confirm', 'a 1', '--json'),
    ).toEqual({
      positionals: ['redis:', 'a'],
      options: { for: '1h', once: true, pass: ['x', 'y'], confirm: ['a 1'], json: true },
    })
  })

  it('uses the line of usage whose option is given', () => {
    expect(args('--extend', 'h1', '--for', '1h')).toMatchObject({ positionals: [] })
    expect(() => args('--extend', 'h1', 'redis:')).toThrow('Too many arguments; expected none')
  })

  it.each([
    [['redis:'], 'Missing <key>; "lockkeeper hold --help" shows the usage'],
    [['redis:', 'a', 'b'], 'Too many arguments; expected <store> <key>'],
    [['redis:', 'a', '--for'], '--for needs a value'],
    [['redis:', 'a', '--for', '--once'], '--for needs a value; write --for=VALUE if it starts with a dash'],
    [['redis:', 'a', '--once=hunter2'], '--once takes no value'],
    [['redis:', 'a', '--onec'], 'Unknown option --onec. Did you mean "--once"?'],
    [
      ['redis:', 'a', '--nonsense=hunter2'],
      /^Unknown option --nonsense\. Options are --json, --help, --for, /,
    ],
  ])('says what is wrong with %j, and repeats no value', (argv, message) => {
    expect(() => args(...argv)).toThrow(message)
  })

  it('accepts a repeated argument', () => {
    expect(parse('stats', ['<store>... [--json]'], ['a', 'b', 'c'])?.positionals).toEqual(['a', 'b', 'c'])
    expect(() => parse('stats', ['<store>... [--json]'], [])).toThrow('Missing <store>')
  })

  it('accepts the absence of an argument in brackets', () => {
    expect(parse('audit', ['[TEXT] [--limit N]'], [])?.positionals).toEqual([])
    expect(parse('audit', ['[TEXT] [--limit N]'], ['x'])?.positionals).toEqual(['x'])
    expect(() => parse('audit', ['[TEXT] [--limit N]'], ['x', 'y'])).toThrow('Too many arguments')
  })

  it('answers null to --help beside any other argument', () => {
    expect(args('--help')).toBeNull()
    expect(args('a', 'b', 'c', '-h')).toBeNull()
  })
})

it.each([
  ['lst', ' Did you mean "list"?'],
  ['relase', ' Did you mean "release"?'],
  ['holdd', ' Did you mean "hold"?'],
  ['explode', null],
])('a mistyped %j is answered by the command that it is nearest to', (word, answer) => {
  expect(
    didYouMean(
      word,
      COMMANDS.map(each => each.name),
    ),
  ).toBe(answer)
})
