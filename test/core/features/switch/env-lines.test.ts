import { describe, expect, it } from 'vitest'
import { changeEnv, readEnv } from '../../../../electron/core/features/switch/env-lines.ts'
import { Random } from '../../../random.ts'

const NAME = 'LOCK_PROVIDER'
const readValue = (text: string) => readEnv(text, NAME).places.at(-1)?.value ?? null
const changed = (text: string, wanted = 'mysql') => changeEnv(readEnv(text, NAME), NAME, wanted)

describe('a setting is read as programs read it, and only its value changes', () => {
  it.each<[string, string | null, string]>([
    ['LOCK_PROVIDER=redis\n', 'redis', 'LOCK_PROVIDER=mysql\n'],
    ['LOCK_PROVIDER=redis', 'redis', 'LOCK_PROVIDER=mysql'],
    ['  LOCK_PROVIDER = redis  \n', 'redis', '  LOCK_PROVIDER = mysql  \n'],
    ['export LOCK_PROVIDER="redis" # why\n', 'redis', 'export LOCK_PROVIDER="mysql" # why\n'],
    ["LOCK_PROVIDER='redis'\r\n", 'redis', "LOCK_PROVIDER='mysql'\r\n"],
    ['LOCK_PROVIDER=`redis`\n', 'redis', 'LOCK_PROVIDER=`mysql`\n'],
    ['LOCK_PROVIDER=redis # or mysql\n', 'redis', 'LOCK_PROVIDER=mysql # or mysql\n'],
    [
      '\uFEFFexport LOCK_PROVIDER="redis"\r\nA=1\r\n',
      'redis',
      '\uFEFFexport LOCK_PROVIDER="mysql"\r\nA=1\r\n',
    ],
    ['export\tLOCK_PROVIDER=redis\t# why\r\n', 'redis', 'export\tLOCK_PROVIDER=mysql\t# why\r\n'],
    [
      'LOCK_PROVIDER=redis\nexport LOCK_PROVIDER # and that\n',
      'redis',
      'LOCK_PROVIDER=mysql\nexport LOCK_PROVIDER # and that\n',
    ],
    ['LOCK_PROVIDER=\n', '', 'LOCK_PROVIDER=mysql\n'],
    ['LOCK_PROVIDER= # none\n', '', 'LOCK_PROVIDER=mysql # none\n'],
    ['LOCK_PROVIDER= \n', '', 'LOCK_PROVIDER=mysql \n'],
    ['LOCK_PROVIDER=""\n', '', 'LOCK_PROVIDER="mysql"\n'],
    ['\uFEFFLOCK_PROVIDER=redis\n', 'redis', '\uFEFFLOCK_PROVIDER=mysql\n'],
    ['A=1\rLOCK_PROVIDER=redis\rB=2', 'redis', 'A=1\rLOCK_PROVIDER=mysql\rB=2'],
    [
      'LOCK_PROVIDER=redis\nLOCK_PROVIDER=dynamodb\n',
      'dynamodb',
      'LOCK_PROVIDER=mysql\nLOCK_PROVIDER=mysql\n',
    ],
    [
      'LOCK_PROVIDER=redis\n#LOCK_PROVIDER=dynamodb\n',
      'redis',
      'LOCK_PROVIDER=mysql\n#LOCK_PROVIDER=dynamodb\n',
    ],
    ['LOCK_PROVIDER=mysql\n', 'mysql', 'LOCK_PROVIDER=mysql\n'],
    // Where there is none, it is added with the newline that the file uses.
    ['', null, 'LOCK_PROVIDER=mysql\n'],
    ['\uFEFF', null, '\uFEFFLOCK_PROVIDER=mysql\n'],
    ['A=1', null, 'A=1\nLOCK_PROVIDER=mysql\n'],
    ['A=1\r\nB=2', null, 'A=1\r\nB=2\r\nLOCK_PROVIDER=mysql\r\n'],
    ['# LOCK_PROVIDER=redis\n', null, '# LOCK_PROVIDER=redis\nLOCK_PROVIDER=mysql\n'],
    ['MY_LOCK_PROVIDER=redis\n', null, 'MY_LOCK_PROVIDER=redis\nLOCK_PROVIDER=mysql\n'],
    ['LOCK_PROVIDER_2=redis\n', null, 'LOCK_PROVIDER_2=redis\nLOCK_PROVIDER=mysql\n'],
    // What only has the name in its value says nothing of it.
    [
      'HELP="say LOCK_PROVIDER=redis" # or so\n',
      null,
      'HELP="say LOCK_PROVIDER=redis" # or so\nLOCK_PROVIDER=mysql\n',
    ],
    ['A=1 # LOCK_PROVIDER=redis\n', null, 'A=1 # LOCK_PROVIDER=redis\nLOCK_PROVIDER=mysql\n'],
    ['A= # LOCK_PROVIDER=redis\n', null, 'A= # LOCK_PROVIDER=redis\nLOCK_PROVIDER=mysql\n'],
    ['OPTS=-DLOCK_PROVIDER=redis\n', null, 'OPTS=-DLOCK_PROVIDER=redis\nLOCK_PROVIDER=mysql\n'],
    ['echo $LOCK_PROVIDER\n', null, 'echo $LOCK_PROVIDER\nLOCK_PROVIDER=mysql\n'],
  ])('%j', (text, value, after) => {
    expect(readValue(text)).toBe(value)
    expect(changed(text).text).toBe(after)
    expect(readValue(after)).toBe('mysql')
  })

  it('ignores the name inside a multi-line value', () => {
    const text = 'KEY="-----BEGIN\nLOCK_PROVIDER=redis\nEND"\nLOCK_PROVIDER=redis\n'
    expect(changed(text)).toEqual({
      text: 'KEY="-----BEGIN\nLOCK_PROVIDER=redis\nEND"\nLOCK_PROVIDER=mysql\n',
      lines: [{ line: 4, before: 'LOCK_PROVIDER=redis', after: 'LOCK_PROVIDER=mysql' }],
    })
  })

  it('does not trust a line that continues the one before', () =>
    expect(readEnv('JAVA_OPTS=-Xmx1g \\\nLOCK_PROVIDER=redis\n', NAME)).toMatchObject({
      places: [],
      unclear: [2],
    }))

  it('ignores the name inside a multi-line value after a colon', () => {
    const { text } = changed('PEM: "a\nLOCK_PROVIDER=inside\n"\nLOCK_PROVIDER=redis\n')
    expect(text).toBe('PEM: "a\nLOCK_PROVIDER=inside\n"\nLOCK_PROVIDER=mysql\n')
  })

  it('lets an unclosed quote hide nothing', () => {
    expect(readValue("NAME=O'Brien\nGREETING='hello\nLOCK_PROVIDER=redis\n")).toBe('redis')
  })

  it.each([
    'LOCK_PROVIDER="redis\n',
    'LOCK_PROVIDER="redis"x\n',
    'LOCK_PROVIDER="a\nb"\n',
    'LOCK_PROVIDER="re\\dis"\n',
    'LOCK_PROVIDER: redis\n',
    'LOCK_PROVIDER=re\\\ndis\n',
    // To a shell the value ends before the rest, which would be told as the value and be gone afterwards.
    'LOCK_PROVIDER=redis; export OTHER=1\n',
    'LOCK_PROVIDER=redis REDIS_PASSWORD=hunter2\n',
    'LOCK_PROVIDER="redis" REDIS_PASSWORD="hunter2"\n',
    'LOCK_PROVIDER=redis&& export OTHER=1\r\n',
    'LOCK_PROVIDER=$(cat provider)\n',
    `LOCK_PROVIDER="\${PROVIDER:-redis}"\n`,
    'LOCK_PROVIDER=redis|mysql\n',
    'LOCK_PROVIDER=redis"x"\n',
    // A comment to some programs, and a part of the value to others.
    'LOCK_PROVIDER=redis#x\n',
    'LOCK_PROVIDER="redis"#x\n',
    'LOCK_PROVIDER=#x\n',
    // Set all the same, so that a line of ours would be a second one.
    'export A=1 LOCK_PROVIDER=redis\n',
    '\uFEFFexport A="x" LOCK_PROVIDER=redis\r\n',
    'declare -x LOCK_PROVIDER=redis\n',
    'export "LOCK_PROVIDER=redis"\n',
    'readonly LOCK_PROVIDER="redis"\n',
    'A=1; LOCK_PROVIDER=redis\n',
    'A=x LOCK_PROVIDER=redis\n',
    'LOCK_PROVIDER+=redis\n',
    `: "\${LOCK_PROVIDER:=redis}"\n`,
    'setenv LOCK_PROVIDER redis\n',
    'unset LOCK_PROVIDER\n',
  ])('does not guess what %j means', text =>
    expect(readEnv(text, NAME)).toMatchObject({ places: [], unclear: [1] }),
  )
})

it('finds a setting behind the end of a multi-line value', () => {
  expect(readEnv('KEY="a\nb" LOCK_PROVIDER=redis\n', NAME)).toMatchObject({ places: [], unclear: [2] })
  expect(readEnv('KEY="a\nb" # LOCK_PROVIDER=redis\n', NAME)).toMatchObject({ places: [], unclear: [] })
})

it.each<[string, number | null]>([
  ['A=1\\', 1],
  ['A=1\nB=2\\\r\n', 2],
  ['# note \\\n', 1],
  ['A=1\\\n\n', null],
  ['A=1\n', null],
  ['', null],
])('knows whether a line added after %j would be a line of its own', (text, openEnd) =>
  expect(readEnv(text, NAME).openEnd).toBe(openEnd),
)

it('lists the lines that change, and no others', () => {
  expect(
    changed('SECRET=hunter2\nLOCK_PROVIDER=redis\nTOKEN=abc\nexport LOCK_PROVIDER=x # y\n').lines,
  ).toEqual([
    { line: 2, before: 'LOCK_PROVIDER=redis', after: 'LOCK_PROVIDER=mysql' },
    { line: 4, before: 'export LOCK_PROVIDER=x # y', after: 'export LOCK_PROVIDER=mysql # y' },
  ])
  expect(changed('SECRET=hunter2').lines).toEqual([{ line: 2, before: null, after: 'LOCK_PROVIDER=mysql' }])
})

it('leaves every other byte of any file unchanged', () => {
  const random = new Random(7)
  const pieces = [
    ...[
      'A=1',
      'export B="two words" # c',
      "C='it\\'s'",
      '# note',
      '',
      '   ',
      'D=',
      'E=a=b#c',
      'ключ=значение',
      'F="x\ny"',
    ],
    ...[
      'LOCK_PROVIDER=redis',
      ' export LOCK_PROVIDER = "redis"  # x',
      'LOCK_PROVIDER=',
      '#LOCK_PROVIDER=redis',
    ],
  ]
  for (let round = 0; round < 2000; round++) {
    const newline = random.pick(['\n', '\r\n'])
    const lines = Array.from({ length: random.below(8) }, () => random.pick(pieces))
    const text = random.pick(['', '\uFEFF']) + lines.join(newline) + random.pick(['', newline])
    const env = readEnv(text, NAME)
    const { text: after, lines: told } = changeEnv(env, NAME, 'dynamodb')
    if (env.unclear.length > 0) continue
    expect(readValue(after), text).toBe('dynamodb')
    const others = (whole: string) => {
      const { lines: all, places } = readEnv(whole, NAME)
      const own = new Set(places.map(({ line }) => line - 1))
      return all.filter((_, i) => !own.has(i)).join('')
    }
    const added = told.length === 1 && told[0]?.before === null
    if (added) expect(after.startsWith(text), text).toBe(true)
    else expect(others(after), text).toBe(others(text))
    // Once more changes nothing.
    expect(changeEnv(readEnv(after, NAME), NAME, 'dynamodb')).toEqual({ text: after, lines: [] })
  }
})
