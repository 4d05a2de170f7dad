import { expect, test } from 'vitest'
import { FILES, importsOf, SOURCES, textOf } from './source-files.ts'

const isShell = (file: string) => /^electron\/(shell\/|main\.ts$|preload\.ts$)/.test(file)

/** Who may import what. `packages` tells which npm packages and Node modules. */
const RULES: { part: string; is(file: string): boolean; parts: RegExp; packages: RegExp }[] = [
  { part: 'shared', is: file => file.startsWith('shared/'), parts: /^shared\//, packages: /^zod$/ },
  {
    part: 'core',
    is: file => file.startsWith('electron/core/'),
    parts: /^(shared|electron\/core)\//,
    packages: /^(?!electron(\/|$)|react|zustand|@tanstack)/,
  },
  {
    part: 'hosts',
    is: file => file.startsWith('electron/hosts/'),
    parts: /^(shared|electron\/core|electron\/hosts)\//,
    packages: /^(node:|zod$|papaparse$|pino$|prom-client$)/,
  },
  {
    part: 'shell',
    is: isShell,
    parts: /^(shared|electron\/core|electron\/shell|electron\/hosts)\//,
    packages: /^(node:|electron$|electron\/|zod$)/,
  },
  {
    part: 'renderer',
    is: file => file.startsWith('renderer/'),
    parts: /^(shared|renderer)\//,
    packages: /^(?!node:|electron(\/|$)|ioredis|mysql2|@aws-sdk)/,
  },
]

test('every source file belongs to a part that has rules', () => {
  expect(SOURCES.filter(file => !RULES.some(rule => rule.is(file)))).toEqual([])
  for (const part of ['shared', 'core', 'hosts', 'shell']) {
    const rule = RULES.find(each => each.part === part)
    expect(SOURCES.filter(file => rule?.is(file)).length, part).toBeGreaterThan(5)
  }
})

test('imports are found at all', () => {
  expect(importsOf('electron/core/stores/open.ts')).toEqual(
    expect.arrayContaining([
      'shared/address.ts',
      'electron/core/errors.ts',
      'electron/core/stores/redis/store.ts',
    ]),
  )
  expect(importsOf('electron/core/bytes.ts')).toContain('node:buffer')
})

test.each(RULES)('$part imports only what it may', ({ is, parts, packages }) => {
  const wrong = SOURCES.filter(is).flatMap(file =>
    importsOf(file)
      .filter(
        name => !(/^(shared|electron|renderer|test|scripts)\//.test(name) ? parts : packages).test(name),
      )
      .map(name => `${file} imports ${name}`),
  )
  expect(wrong).toEqual([])
})

test('only the shell knows Electron: in plain Node the package tries to download a binary', () => {
  const users = FILES.filter(file =>
    importsOf(file).some(name => /^electron(\/(main|renderer|common))?$/.test(name)),
  )
  expect(users.filter(file => !isShell(file))).toEqual([])
})

test('two files know prom-client, which nothing imports that measures nothing', () => {
  const users = SOURCES.filter(file => importsOf(file).includes('prom-client'))
  expect(users).toEqual([
    // An entry of its own, which a program imports to be measured.
    'electron/core/locks/metrics.ts',
    'electron/hosts/metrics/exposition.ts',
  ])
  expect(SOURCES.filter(file => importsOf(file).includes('electron/core/locks/metrics.ts'))).toEqual([])
})

test('the preload script brings nothing of ours into the page but the name of the channel', () => {
  expect(importsOf('electron/preload.ts').sort()).toEqual([
    'electron',
    'electron/shell/channel.ts',
    'shared/frames.ts',
  ])
  expect(importsOf('electron/shell/channel.ts')).toEqual([])
})

test('no import leads to a file that is not there', () => {
  const known = new Set(FILES)
  const missing = SOURCES.flatMap(file =>
    importsOf(file).filter(name => /^(shared|electron|renderer)\/.*\.tsx?$/.test(name) && !known.has(name)),
  )
  expect(missing).toEqual([])
})

test('no file is longer than 400 lines', () => {
  expect(FILES.filter(file => textOf(file).split('\n').length > 401)).toEqual([])
})

test('no file has a default export, except where a tool wants one', () => {
  const exceptions = [
    'test/servers/global-setup.ts', // vitest calls the default export
    'test/core/stores/redis/redlock.d.ts', // describes somebody else's package
  ]
  const users = FILES.filter(file => /^\s*export default\b|\bas default\s*[,}]/m.test(textOf(file)))
  expect(
    users.filter(file => !exceptions.includes(file) && !/(^|\/)[\w.-]+\.config\.ts$/.test(file)),
  ).toEqual([])
})
