import { describe, expect, test } from 'vitest'
import { codeOf, SOURCES } from './source-files.ts'

test('files are written by core/files, which follows no planted link', () => {
  const writes =
    /(?<!\.)\b(writeFile|appendFile)(Sync)?\(|\b(createWriteStream|copyFile|cp)(Sync)?\(|\bopen(Sync)?\(.*['"](wx?|ax?|[wa]\+|r\+)['"]|O_(WRONLY|RDWR)/
  const writers = SOURCES.filter(file => writes.test(codeOf(file)))
  expect(writers).toEqual(['electron/core/files/disk.ts'])
})

describe('what changes a store stands where releases are made or taken back, and nowhere else', () => {
  const FORMATS = /^electron\/core\/stores\/redis\/formats\/(?!index)[\w-]+\.ts$/
  test.each<[string, RegExp, (string | RegExp)[]]>([
    [
      'Redis commands that delete or end',
      /['"`\s[](DEL|UNLINK|HDEL|ZREM|SREM|LREM|GETDEL|FLUSHDB|FLUSHALL|P?EXPIRE(AT)?|PERSIST|RENAME(NX)?)['"`]/i,
      [
        // Names the commands that a release may be made of.
        'electron/core/stores/redis/format/program.ts',
        // Deletes a key under the guards of its value and its deadline.
        'electron/core/stores/redis/format/format.ts',
        'electron/core/stores/redis/server-info.ts',
        // Gives a lock that is put back the end that it had.
        'electron/core/stores/redis/restore.ts',
        // Lock managers, each of which touches its own locks only: compared in the same script.
        'electron/core/locks/redis/scripts.ts',
        FORMATS,
      ],
    ],
    [
      'Redis commands that write a value',
      /['"`](SET|SETNX|[PH]?SETEX|GETSET|MSET(NX)?|HSET(NX)?|APPEND|RESTORE|COPY)['"`]/,
      // Where there is none, and nowhere else.
      [
        'electron/core/stores/redis/restore.ts',
        // A lock that is taken or extended.
        'electron/core/locks/redis/scripts.ts',
      ],
    ],
    [
      'ioredis methods that write',
      /\.(del|unlink|hdel|zrem|srem|getdel|flushdb|flushall|p?expire(at)?|persist|rename)(Buffer)?\s*[<(]/,
      [],
    ],
    [
      'scripts that write',
      /^\s*'writes',?$|,\s*'writes'\s*\)/m,
      [
        'electron/core/stores/redis/run-program.ts',
        'electron/core/stores/redis/restore.ts',
        'electron/core/locks/redis/scripts.ts',
      ],
    ],
    [
      'Redis commands by name',
      /(?<!\bredis)\.(callBuffer|sendCommand|pipeline|multi|eval|evalsha)\s*[<(]|\b(node|redis|Redis\))\.call\(['"](?!CLUSTER|HELLO)/,
      [
        ...['script', 'read', 'scan', 'run-program', 'watched', 'restore'].map(
          name => `electron/core/stores/redis/${name}.ts`,
        ),
        'electron/core/locks/redis/scripts.ts',
      ],
    ],
    [
      'SQL that is sent to change something',
      /\.change\s*[<(]/,
      [
        'electron/core/stores/mysql/store.ts',
        'electron/core/stores/mysql/restore.ts',
        // A program's own locks: taken, renewed and let go of, and the table for them made.
        ...['statements', 'lock-table'].map(name => `electron/core/locks/mysql/${name}.ts`),
      ],
    ],
    ['SQL that is sent at all', /\.(query|execute)\s*[<(]/, ['electron/core/stores/mysql/connect.ts']],
    [
      'SQL that writes',
      /\b(DELETE\s+(?:\w+\s+)?FROM|UPDATE\s+[`$\w{]|INSERT\s+INTO|REPLACE\s+INTO|TRUNCATE\s+\w+|(CREATE|ALTER|DROP)\s+TABLE|KILL\s+\d|RELEASE_(ALL_)?LOCKS?)\b/i,
      ['electron/core/stores/mysql/sql.ts', 'electron/core/locks/mysql/statements.ts'],
    ],
    [
      'DynamoDB commands that write',
      /\b(Delete|Update|Put)Item(Command)?\b|\b(BatchWriteItem|TransactWriteItems|ExecuteStatement|BatchExecuteStatement|(Create|Delete|Update)Table|UpdateTimeToLive)/,
      [
        // A release under its condition, an item where there is none, and a delete whose condition contradicts itself.
        'electron/core/stores/dynamodb/writes.ts',
        // A program's own locks, each write under its condition, and the table for them.
        'electron/core/locks/dynamodb/requests.ts',
        'electron/core/locks/dynamodb/lock-table.ts',
      ],
    ],
  ])('%s', (_, pattern, allowed) => {
    const users = SOURCES.filter(file => pattern.test(codeOf(file)))
    const stray = users.filter(
      file => !allowed.some(each => (typeof each === 'string' ? each === file : each.test(file))),
    )
    expect(stray).toEqual([])
    // A list of exceptions that nobody needs any more would hide the next one.
    for (const each of allowed)
      expect(
        users.some(file => (typeof each === 'string' ? each === file : each.test(file))),
        String(each),
      ).toBe(true)
  })

  test('a format names a command that deletes only beside the guards that it runs under', () => {
    const formats = SOURCES.filter(file => FORMATS.test(file))
    expect(formats.filter(file => !/\btokenProgram[(,]|guards/.test(codeOf(file)))).toEqual([])
  })

  test('every store releases through releaseFenced', () => {
    const stores = SOURCES.filter(file => /^electron\/core\/stores\/\w+\/store\.ts$/.test(file))
    expect(stores.length).toBeGreaterThanOrEqual(4)
    expect(stores.filter(file => !/\bextends RecordStore</.test(codeOf(file)))).toEqual([])
    expect(SOURCES.filter(file => /\breleaseFenced\b/.test(codeOf(file)))).toEqual([
      'electron/core/stores/fenced-release.ts',
      'electron/core/stores/record-store.ts',
    ])
    // However it is written: a method, an override, a property, or a call.
    const releasing = /\breleaseMany\b['"`\]]*\s*[<(=:]/
    const inStores = SOURCES.filter(file => file.startsWith('electron/core/stores/'))
    expect(inStores.filter(file => releasing.test(codeOf(file)))).toEqual([
      'electron/core/stores/record-store.ts',
      // Passed on through the wall of a room.
      'electron/core/stores/room/room-store.ts',
      'electron/core/stores/room/serve.ts',
      // Its type.
      'electron/core/stores/types.ts',
    ])
  })
})
