import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { NO_COUNTS, NO_FLOWS } from '../../../../electron/core/features/stats/figures.ts'
import type { HistoryLine } from '../../../../electron/core/features/stats/history-file.ts'
import {
  HistoryFile,
  readHistory,
  removeOldHistories,
} from '../../../../electron/core/features/stats/history-file.ts'
import type { Sample } from '../../../../electron/core/features/stats/samples.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'

const DAY = 86_400_000
const ADDRESS = 'redis://127.0.0.1:6379/0'

function tenure(id: string, from = Date.now() - 1000): HistoryLine {
  return {
    tenure: {
      ...{ id, key: id, format: 'token', holder: 'worker', ownerHash: 'sha256:1', group: 'worker', from },
      ...{ begin: 'seen', until: null, end: 'held', renewals: 0 },
    },
  }
}

function sample(from: number): Sample {
  return {
    ...{ from, until: from + 9000, counts: NO_COUNTS, flows: NO_FLOWS },
    ...{ spent: { requests: 1, units: null }, tenureTimes: null },
  }
}

async function kept(folder: string, address = ADDRESS): Promise<HistoryLine[]> {
  const lines: HistoryLine[] = []
  for await (const line of readHistory(folder, address, Date.now() - DAY)) lines.push(line)
  return lines
}

function filesIn(folder: string): string[] {
  return readdirSync(join(folder, 'history'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(folder, 'history', name))
}

async function written(folder: string, ...lines: HistoryLine[]): Promise<HistoryFile> {
  const file = new HistoryFile(folder, ADDRESS, DAY)
  for (const line of lines) file.append(line)
  await file.flush()
  return file
}

test('returns the history that was written, by store', async () => {
  const folder = dataFolder()
  await written(folder, tenure('a'), tenure('b'))
  expect((await kept(folder)).map(line => 'tenure' in line && line.tenure.id)).toEqual(['a', 'b'])
  expect(await kept(folder, 'redis://127.0.0.1:6379/1')).toEqual([])
})

test('is readable by this account alone', async () => {
  const folder = dataFolder()
  await written(folder, tenure('a'))
  for (const path of filesIn(folder)) expect(statSync(path).mode & 0o077).toBe(0)
})

test('a name with escapes is written harmlessly and restored exactly', async () => {
  const folder = dataFolder()
  const name = 'a\u001b[2J\u202e"\n{"sample":1}'
  await written(folder, tenure(name))
  const [path = ''] = filesIn(folder)
  for (const char of ['\u001b', '\u202e']) expect(readFileSync(path, 'utf8')).not.toContain(char)
  expect(await kept(folder)).toMatchObject([{ tenure: { id: name } }])
})

test('skips torn and edited lines, and reads the rest', async () => {
  const folder = dataFolder()
  await written(folder, tenure('a'))
  const [path = ''] = filesIn(folder)
  appendFileSync(path, '{"tenure":{"id":"x","from":"yesterday"}}\nnull\n{"other":1}\n{"tenure":{"id":"to')
  await written(folder, tenure('b'))
  expect((await kept(folder)).map(line => 'tenure' in line && line.tenure.id)).toEqual(['a', 'b'])
})

test('reads a file whose header was formatted by another program', async () => {
  const folder = dataFolder()
  await written(folder, tenure('a'))
  const [path = ''] = filesIn(folder)
  const [, line = ''] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `{ "address": "${ADDRESS}", "version": 2 }\n${line}\n`)
  expect(await kept(folder)).toMatchObject([{ tenure: { id: 'a' } }])
  writeFileSync(path, `${line}\n${line}\n`)
  expect(await kept(folder)).toEqual([])
})

test('skips files of another store or an unknown version', async () => {
  const folder = dataFolder()
  await written(folder, tenure('a'))
  const [path = ''] = filesIn(folder)
  const [, line = ''] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `{"version":1,"address":"${ADDRESS}"}\n${line}\n`)
  expect(await kept(folder)).toEqual([])
  writeFileSync(path, `{"version":2,"address":"mysql://elsewhere/db"}\n${line}\n`)
  expect(await kept(folder)).toEqual([])
})

test('removes files that are too old, and keeps the limit of bytes', async () => {
  const folder = dataFolder()
  await written(folder, tenure('old'))
  const [first = ''] = filesIn(folder)
  // Two files that are begun in one millisecond have one name.
  const old = join(dirname(first), `2000-${basename(first)}`)
  renameSync(first, old)
  const yesterday = new Date(Date.now() - DAY - 60_000)
  utimesSync(old, yesterday, yesterday)
  await written(folder, tenure('new'))
  expect(filesIn(folder)).not.toContain(old)

  const long = 'k'.repeat(1900)
  const file = new HistoryFile(folder, ADDRESS, DAY)
  // More than 60 MB, in pieces as a busy store would bring them.
  for (let piece = 0; piece < 60; piece++) {
    for (let i = 0; i < 500; i++) file.append(tenure(`${piece}`, Date.now()))
    for (let i = 0; i < 500; i++)
      file.append({ break: { at: Date.now(), until: Date.now(), why: 'down', message: long } })
    await file.flush()
  }
  const bytes = filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0)
  expect(bytes).toBeLessThan(30 * 1024 * 1024)
  expect((await kept(folder)).at(-1)).toBeDefined()
})

test('a store with very frequent changes loses tenures, not its charts', async () => {
  const folder = dataFolder()
  const file = new HistoryFile(folder, ADDRESS, DAY)
  const begin = Date.now() - DAY / 2
  const long = 'k'.repeat(900)
  for (let i = 0; i < 720; i++) {
    file.append({ sample: sample(begin + i * 10_000) })
    for (let j = 0; j < 60; j++) file.append(tenure(`${long}${j}`))
    await file.flush()
  }
  const lines = await kept(folder)
  expect(lines.filter(line => 'sample' in line)).toHaveLength(720)
  expect(lines.length).toBeLessThan(720 * 60)
})

test('lines that arrive during a write are written next', async () => {
  const folder = dataFolder()
  const file = new HistoryFile(folder, ADDRESS, DAY)
  for (let i = 0; i < 19_000; i++) file.append(tenure(`a${i}`))
  await new Promise(resolve => setImmediate(resolve))
  for (let i = 0; i < 11_000; i++) file.append(tenure(`b${i}`))
  await file.flush()
  expect(await kept(folder)).toHaveLength(30_000)
})

test('skips names that are too long', async () => {
  const folder = dataFolder()
  await written(folder, tenure('x'.repeat(1_000_000)), tenure('a'))
  expect((await kept(folder)).map(line => 'tenure' in line && line.tenure.id)).toEqual(['a'])
})

test('reports a failing disk, and writes the waiting lines once it recovers', async () => {
  const folder = dataFolder()
  // A file where the folder should be: root may write everywhere else.
  writeFileSync(join(folder, 'history'), '')
  const file = await written(folder, tenure('a'))
  expect(file.problem).toMatch(/cannot be written to disk \((ENOTDIR|EEXIST)\)/)
  rmSync(join(folder, 'history'))
  file.append(tenure('b'))
  await file.flush()
  expect(file.problem).toBe(null)
  expect((await kept(folder)).map(line => 'tenure' in line && line.tenure.id)).toEqual(['a', 'b'])
})

test('retries a failing disk, also without new lines', async () => {
  const folder = dataFolder()
  writeFileSync(join(folder, 'history'), '')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const file = await written(folder, tenure('a'))
  rmSync(join(folder, 'history'))
  await vi.advanceTimersByTimeAsync(61_000)
  await expect.poll(() => file.problem).toBe(null)
  expect(await kept(folder)).toHaveLength(1)
})

test('removes the old history of stores that are no longer opened', async () => {
  const folder = dataFolder()
  await written(folder, tenure('a'))
  mkdirSync(join(folder, 'history', 'empty'))
  await removeOldHistories(folder, DAY)
  expect(filesIn(folder)).toHaveLength(1)
  const [path = ''] = filesIn(folder)
  const yesterday = new Date(Date.now() - DAY - 60_000)
  utimesSync(path, yesterday, yesterday)
  await removeOldHistories(folder, DAY)
  // What is not ours stays.
  expect(readdirSync(join(folder, 'history'))).toEqual(['empty'])
})
