import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sealLine } from '../../../../electron/core/features/audit/chain.ts'
import { fileAudit } from '../../../../electron/core/features/audit/log.ts'
import { verifyLog } from '../../../../electron/core/features/audit/verify.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { auditFiles } from './lines.ts'

const { signal } = new AbortController()
const FIRST = 'audit-000001.jsonl'
const HEAD = 'audit-head.json'

const open = (folder: string, rotateBytes = 1e6) => fileAudit(folder, message => message, { rotateBytes })

/** Three files, the last one with several lines; a copy for each case. */
async function aLog(): Promise<string> {
  const folder = dataFolder()
  const log = open(folder, 1200)
  for (let n = 1; n <= 9; n++) await log.append([{ event: 'settled', action: 'a', key: `lock:${n}` }])
  return folder
}

function copyOf(folder: string): string {
  const copy = dataFolder()
  mkdirSync(copy, { recursive: true })
  for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name))
  return copy
}

const text = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')
const linesOf = (folder: string, name: string) => text(folder, name).split('\n').slice(0, -1)
const write = (folder: string, name: string, lines: readonly string[]) =>
  writeFileSync(join(folder, name), lines.map(line => `${line}\n`).join(''))
const lastFile = (folder: string) => auditFiles(folder).at(-1) ?? ''

/** Seals lines again, as a forger who knows the rule would. */
function rechain(lines: readonly string[]): string[] {
  let prev = JSON.parse(lines[0] ?? '').prev ?? ''
  return lines.map(line => {
    const { hash: _, ...fields } = JSON.parse(line)
    const sealed = sealLine(prev, fields)
    prev = sealed.hash
    return sealed.line.trimEnd()
  })
}

const edited = (line: string) => line.replace('lock:', 'lack:')

type Case = [what: string, damage: (folder: string, file: string) => void]
const CASES: Case[] = [
  [
    'an edited line',
    (folder, file) =>
      write(
        folder,
        file,
        linesOf(folder, file).map((line, i) => (i === 1 ? edited(line) : line)),
      ),
  ],
  [
    'an edited last line',
    (folder, file) =>
      write(
        folder,
        file,
        linesOf(folder, file).map((line, i, all) => (i === all.length - 1 ? edited(line) : line)),
      ),
  ],
  [
    'an edited first line',
    (folder, file) =>
      write(
        folder,
        file,
        linesOf(folder, file).map((line, i) => (i === 0 ? line.replace('"chain"', '"chain" ') : line)),
      ),
  ],
  [
    'a removed line',
    (folder, file) =>
      write(
        folder,
        file,
        linesOf(folder, file).filter((_, i) => i !== 1),
      ),
  ],
  ['a removed first line', (folder, file) => write(folder, file, linesOf(folder, file).slice(1))],
  [
    'a doubled line',
    (folder, file) =>
      write(
        folder,
        file,
        linesOf(folder, file).flatMap((line, i) => (i === 1 ? [line, line] : [line])),
      ),
  ],
  [
    'a doubled last line',
    (folder, file) => write(folder, file, [...linesOf(folder, file), linesOf(folder, file).at(-1) ?? '']),
  ],
  [
    'swapped lines',
    (folder, file) =>
      write(
        folder,
        file,
        linesOf(folder, file).map((line, i, all) =>
          i === 1 ? (all[2] ?? '') : i === 2 ? (all[1] ?? '') : line,
        ),
      ),
  ],
  ['lines missing at the end', (folder, file) => write(folder, file, linesOf(folder, file).slice(0, -1))],
  ['all lines missing', (folder, file) => write(folder, file, [])],
  ['a missing file', (folder, file) => rmSync(join(folder, file))],
  [
    'garbage in place of the file',
    (folder, file) => writeFileSync(join(folder, file), Buffer.alloc(5000, 7)),
  ],
  [
    'another file in its place',
    (folder, file) =>
      writeFileSync(join(folder, file), text(folder, file === FIRST ? lastFile(folder) : FIRST)),
  ],
  [
    'a line added at the end',
    (folder, file) => write(folder, file, [...linesOf(folder, file), '{"seq":1,"at":"","event":"intent"}']),
  ],
  [
    'an edited line, with all hashes made anew',
    (folder, file) =>
      write(folder, file, rechain(linesOf(folder, file).map((line, i) => (i === 1 ? edited(line) : line)))),
  ],
  [
    'a removed line, with all hashes made anew',
    (folder, file) => write(folder, file, rechain(linesOf(folder, file).filter((_, i) => i !== 2))),
  ],
]

describe('damage that verifying finds', () => {
  it.each(CASES)('%s, in the oldest file as in the newest', async (_, damage) => {
    const log = await aLog()
    for (const file of [FIRST, auditFiles(log)[1] ?? '', lastFile(log)]) {
      const folder = copyOf(log)
      damage(folder, file)
      const verdict = await verifyLog(folder, signal)
      expect(verdict.ok, file).toBe(false)
      // In the damaged file, or in the next one, where it shows.
      const bad = verdict.files.filter(({ state }) => state === 'damaged' || state === 'missing')
      expect(
        bad.map(({ name }) => name),
        file,
      ).toContain(file)
      expect(bad[0]?.damages[0]?.why).toMatch(/\w/)
    }
  })

  it('every changed byte', async () => {
    const log = await aLog()
    const file = lastFile(log)
    const bytes = readFileSync(join(log, file))
    const folder = copyOf(log)
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (bytes[at] ?? 0) ^ 1
      writeFileSync(join(folder, file), changed)
      const verdict = await verifyLog(folder, signal)
      expect(verdict.ok, `byte ${at}`).toBe(false)
    }
  })

  it('a last line that is cut off at any byte', async () => {
    const log = await aLog()
    const file = lastFile(log)
    const bytes = readFileSync(join(log, file))
    const start = bytes.lastIndexOf(10, bytes.length - 2) + 1
    const folder = copyOf(log)
    for (let end = start; end < bytes.length; end++) {
      writeFileSync(join(folder, file), bytes.subarray(0, end))
      expect((await verifyLog(folder, signal)).ok, `cut at ${end}`).toBe(false)
    }
    writeFileSync(join(folder, file), bytes)
    expect((await verifyLog(folder, signal)).ok).toBe(true)
  })
})

it('is also found by the script in the documentation', async context => {
  const [script = ''] = /(?<=```python\n)[\s\S]*?(?=```)/.exec(
    readFileSync(new URL('../../../../docs/audit.md', import.meta.url), 'utf8'),
  ) ?? ['']
  const folder = await aLog()
  const run = () => spawnSync('python3', ['-c', script], { cwd: folder, encoding: 'utf8' })
  const sound = run()
  if (sound.error) return context.skip('there is no python3 here')
  expect(sound.stdout.trim().split('\n')).toEqual([
    `${FIRST} starts a new chain: Log started`,
    'The head is the last line',
  ])
  for (const [what, damage] of CASES) {
    const copy = copyOf(folder)
    damage(copy, lastFile(copy))
    const { status, stdout } = spawnSync('python3', ['-c', script], { cwd: copy, encoding: 'utf8' })
    expect(status !== 0 || stdout.includes('THE HEAD IS ANOTHER'), what).toBe(true)
  }
})

describe('the next writer', () => {
  it.each(CASES)(
    'finds %s, leaves the file as it is, and starts a new chain that records the damage',
    async (_, damage) => {
      const folder = await aLog()
      const file = lastFile(folder)
      damage(folder, file)
      const before = Object.fromEntries(auditFiles(folder).map(name => [name, text(folder, name)]))
      const log = open(folder)
      await log.append([{ event: 'intent', action: 'b' }])
      for (const [name, was] of Object.entries(before)) expect(text(folder, name)).toBe(was)
      const [added, ...more] = auditFiles(folder).filter(name => !(name in before))
      expect(more).toEqual([])
      expect(Number(added?.slice(6, 12))).toBeGreaterThan(Number(file.slice(6, 12)))
      const [chain, intent] = linesOf(folder, added ?? '').map(line => JSON.parse(line))
      expect(chain).toMatchObject({
        seq: 1,
        prev: null,
        damaged: { file },
        because: expect.stringContaining(file),
      })
      expect(intent).toMatchObject({ seq: 2, event: 'intent' })
      // The damage stays reported, and the new chain is intact.
      await open(folder).append([{ event: 'intent', action: 'c' }])
      const verdict = await verifyLog(folder, signal)
      expect(verdict).toMatchObject({ ok: false, head: { status: 'ok' } })
      expect(verdict.files.find(({ name }) => name === added)).toMatchObject({ state: 'ok', lines: 3 })
      expect(verdict.files.find(({ name }) => name === file)?.damages.length).toBeGreaterThan(0)
    },
  )

  it('notices changes while it runs, even if the size is the same', async () => {
    const folder = dataFolder()
    const log = open(folder)
    for (let n = 1; n <= 5; n++) await log.append([{ event: 'settled', action: 'a', key: `lock:${n}` }])
    // The file system's clock has ticks: a change within one tick of the last write shows only when all is verified.
    await new Promise(resolve => setTimeout(resolve, 50))
    writeFileSync(join(folder, FIRST), text(folder, FIRST).replace('lock:2', 'lock:7'))
    await log.append([{ event: 'settled', action: 'a' }])
    expect(auditFiles(folder)).toHaveLength(2)
    expect(JSON.parse(linesOf(folder, lastFile(folder))[0] ?? '')).toMatchObject({
      damaged: { file: FIRST, line: 3 },
    })
  })

  it('refuses to write if the newest file cannot be read', async () => {
    const folder = dataFolder()
    mkdirSync(join(folder, FIRST))
    await expect(open(folder).append([{ event: 'intent', action: 'a' }])).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
    })
    expect(await verifyLog(folder, signal)).toMatchObject({
      ok: false,
      files: [{ name: FIRST, state: 'damaged' }],
    })
  })
})

describe('the head', () => {
  it.each<[string, string | null, string]>([
    ['missing', null, 'missing'],
    ['empty', '', 'unreadable'],
    ['garbage', '{"file":"../../etc/passwd","seq":1,"hash":""}', 'unreadable'],
  ])('%s: lines may be missing, which is never called sound', async (_, contents, status) => {
    const folder = await aLog()
    const files = auditFiles(folder)
    if (contents === null) rmSync(join(folder, HEAD))
    else writeFileSync(join(folder, HEAD), contents)
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: null, head: { status } })
    await open(folder).append([{ event: 'intent', action: 'b' }])
    const verdict = await verifyLog(folder, signal)
    // The next line brings a head, but not what may be missing before it.
    expect(verdict).toMatchObject({ ok: null, head: { status: 'ok' } })
    expect(verdict.files).toHaveLength(files.length + 1)
    expect(verdict.files.at(-1)?.begins).toContain(`the head was ${status}`)
    // An operator who has looked into it notes the new head.
    expect(await verifyLog(folder, signal, verdict.head.hash ?? '')).toMatchObject({ ok: true })
  })

  it('that was noted elsewhere finds a log that was cut off, removed or made anew', async () => {
    const folder = await aLog()
    const { hash: noted } = JSON.parse(text(folder, HEAD))
    const verify = (log: string) => verifyLog(log, signal, noted)
    expect(await verify(folder)).toMatchObject({ ok: true, noted: lastFile(folder) })
    await open(folder).append([{ event: 'intent', action: 'b' }])
    expect(await verify(folder)).toMatchObject({ ok: true, noted: lastFile(folder) })
    const cut = copyOf(folder)
    write(cut, lastFile(cut), linesOf(cut, lastFile(cut)).slice(0, 1))
    rmSync(join(cut, HEAD))
    expect(await verify(cut)).toMatchObject({ ok: false, noted: 'nowhere' })
    expect(await verify(await aLog())).toMatchObject({ ok: false, noted: 'nowhere' })
    expect(await verify(dataFolder())).toMatchObject({ ok: false, noted: 'nowhere' })
  })

  it.each<[string, (head: { file: string; seq: number; hash: string }) => object]>([
    ['of a missing line', head => ({ ...head, seq: head.seq + 2 })],
    ['of another line', head => ({ ...head, hash: head.hash.replace(/./g, '0') })],
    ['of a missing file', head => ({ ...head, file: 'audit-000009.jsonl' })],
  ])('%s: reports missing lines', async (_, change) => {
    const folder = await aLog()
    writeFileSync(join(folder, HEAD), JSON.stringify(change(JSON.parse(text(folder, HEAD)))))
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: false, head: { status: 'ahead' } })
    await open(folder).append([{ event: 'intent', action: 'b' }])
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: false, head: { status: 'ok' } })
  })

  it('is not written through a planted link', async () => {
    const folder = await aLog()
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'precious')
    symlinkSync(victim, join(folder, `${HEAD}.new`))
    await open(folder).append([{ event: 'intent', action: 'b' }])
    expect(readFileSync(victim, 'utf8')).toBe('precious')
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: true, head: { status: 'ok' } })
  })

  it('is behind after a crash, which is not damage', async () => {
    const folder = await aLog()
    const [line] = linesOf(folder, lastFile(folder)).map(each => JSON.parse(each))
    writeFileSync(
      join(folder, HEAD),
      JSON.stringify({ file: lastFile(folder), seq: line.seq, hash: line.hash }),
    )
    const files = auditFiles(folder)
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: true, head: { status: 'behind' } })
    await open(folder).append([{ event: 'intent', action: 'b' }])
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: true, head: { status: 'ok' } })
    expect(auditFiles(folder)).toEqual(files)
  })
})
