import { posix } from 'node:path'
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
  expect(importsOf('electron/core/stores/redis/kind.ts')).toEqual(
    expect.arrayContaining(['shared/address.ts', 'electron/core/stores/redis/store.ts']),
  )
  expect(importsOf('electron/core/lib/bytes.ts')).toContain('node:buffer')
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

/** Core's folders, and the folders each may import. Arrows point down this list and never up. */
const CORE_EDGES: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  files: ['lib'],
  stores: ['lib'],
  locks: ['lib', 'stores'],
  'features/audit': ['lib', 'files'],
  'features/stores': ['lib', 'files', 'stores', 'locks'],
  'features/keys': ['lib', 'files'],
  'features/plans': [
    ...['lib', 'files', 'stores'],
    ...['features/audit', 'features/stores', 'features/keys'],
  ],
  'features/locks': ['lib', 'stores', 'features/audit', 'features/stores', 'features/plans'],
  'features/stats': ['lib', 'files', 'stores', 'features/audit', 'features/stores'],
  'features/alerts': [
    ...['lib', 'files', 'stores', 'features/audit'],
    ...['features/stores', 'features/stats'],
  ],
  'features/metrics': ['lib', 'features/stats'],
  'features/holds': ['lib', 'files', 'stores', 'locks', 'features/audit', 'features/stores'],
  'features/reports': ['lib', 'features/audit', 'features/stores', 'features/plans', 'features/stats'],
  'features/switch': [
    ...['lib', 'files', 'features/stores'],
    ...['features/stats', 'features/alerts', 'features/reports'],
  ],
}

/** `features/plans` for a file of a capability, the top folder for another; null for composition, which sees all of them. */
function coreFolder(file: string): string | null {
  const [first = '', second = '', third] = file.slice('electron/core/'.length).split('/')
  if (second === '') return null
  return first === 'features' && third !== undefined ? `features/${second}` : first
}

const CORE = SOURCES.filter(file => file.startsWith('electron/core/'))

test("core's folders import only the folders below them", () => {
  const wrong = CORE.flatMap(file => {
    const from = coreFolder(file)
    if (from === null) return []
    return importsOf(file)
      .filter(name => name.startsWith('electron/core/'))
      .filter(name => {
        const to = coreFolder(name)
        return to !== from && (to === null || !CORE_EDGES[from]?.includes(to))
      })
      .map(name => `${file} imports ${name}`)
  })
  expect(wrong).toEqual([])
  expect(Object.keys(CORE_EDGES).sort()).toEqual(
    [...new Set(CORE.map(coreFolder).filter(folder => folder !== null))].sort(),
  )
})

test('the table of edges has none that no file needs', () => {
  const used = new Set(
    CORE.flatMap(file =>
      importsOf(file)
        .filter(name => name.startsWith('electron/core/'))
        .map(name => `${coreFolder(file)} -> ${coreFolder(name)}`),
    ),
  )
  const unused = Object.entries(CORE_EDGES)
    .flatMap(([from, all]) => all.map(to => `${from} -> ${to}`))
    .filter(edge => !used.has(edge))
  expect(unused).toEqual([])
})

test.each([
  ['files', (file: string) => file],
  ['folders', (file: string) => posix.dirname(file)],
])('there is no cycle of %s', (_, nodeOf) => {
  const edges = new Map<string, Set<string>>()
  for (const file of SOURCES) {
    const from = nodeOf(file)
    const known = edges.get(from) ?? new Set()
    edges.set(from, known)
    for (const name of importsOf(file)) {
      const to = nodeOf(name)
      if (/\.tsx?$/.test(name) && to !== from) known.add(to)
    }
  }
  expect(cycleIn(edges)).toEqual([])
})

test('a cycle is found where there is one', () => {
  const edges = { a: ['b'], b: ['c', 'd'], c: [], d: ['e'], e: ['b'] }
  expect(cycleIn(new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)])))).toEqual([
    ...['b', 'd', 'e', 'b'],
  ])
})

/** The nodes of one cycle, in order; empty if there is none. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] => {
    const at = path.indexOf(node)
    if (at >= 0) return [...path.slice(at), node]
    if (done.has(node)) return []
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next, [...path, node])
      if (cycle.length > 0) return cycle
    }
    done.add(node)
    return []
  }
  for (const node of edges.keys()) {
    const cycle = visit(node, [])
    if (cycle.length > 0) return cycle
  }
  return []
}

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
    'electron/hosts/library/metrics.ts',
    'electron/hosts/metrics/exposition.ts',
  ])
  expect(SOURCES.filter(file => importsOf(file).includes('electron/hosts/library/metrics.ts'))).toEqual([])
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
    'electron/core/features/reports/css.d.ts', // describes a style sheet that is imported as a text
  ]
  const users = FILES.filter(file => /^\s*export default\b|\bas default\s*[,}]/m.test(textOf(file)))
  expect(
    users.filter(file => !exceptions.includes(file) && !/(^|\/)[\w.-]+\.config\.ts$/.test(file)),
  ).toEqual([])
})
