import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fileAudit } from '../../../../electron/core/features/audit/log.ts'
import { verifyLog } from '../../../../electron/core/features/audit/verify.ts'
import { FolderLock } from '../../../../electron/core/files/folder-lock.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { auditFiles, auditLines } from './lines.ts'

const { signal } = new AbortController()
const isRoot = process.getuid?.() === 0
const NOBODY = 65534
let built = ''

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'lockkeeper-process-'))
  chmodSync(built, 0o755)
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('process.ts', import.meta.url)),
      outDir: built,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'process.mjs' } },
    },
  })
})
afterAll(() => rmSync(built, { recursive: true, force: true }))

type Told = { child: ChildProcess; output: () => string; done: Promise<number | null> }

function start(args: readonly (string | number)[], prefix: readonly string[] = [], uid?: number): Told {
  const [command = '', ...rest] = [
    ...prefix,
    process.execPath,
    join(built, 'process.mjs'),
    ...args.map(String),
  ]
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid ? { uid, gid: uid } : {}),
  })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    output += text
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: () => output, done: once(child, 'close').then(([code]) => code) }
}

const open = (folder: string) => fileAudit(folder, message => message)

describe('several processes', () => {
  it('write one chain and lose no entry', async () => {
    const folder = dataFolder()
    const rotate = JSON.stringify({ rotateBytes: 20_000 })
    const running = ['a', 'b', 'c', 'd', 'e'].map(name => start([folder, name, 30, 3, 'intent', rotate]))
    expect(await Promise.all(running.map(({ done }) => done))).toEqual([0, 0, 0, 0, 0])
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: true, head: { status: 'ok' } })
    const actions = auditLines(folder).map(line => line['action'])
    expect(actions).toHaveLength(450)
    expect(new Set(actions).size).toBe(450)
    expect(existsSync(join(folder, 'audit.lock'))).toBe(false)
  })

  it('killed at any moment, leave a log that others continue and that has every confirmed entry', async () => {
    const folder = dataFolder()
    for (let round = 0; round < 6; round++) {
      const running = ['a', 'b'].map(name => start([folder, `${name}${round}`, 10_000, 40]))
      await expect
        .poll(() => running.every(({ output }) => output().includes('done')), {
          interval: 5,
        })
        .toBe(true)
      await new Promise(resolve => setTimeout(resolve, Math.random() * 30))
      for (const { child } of running) child.kill('SIGKILL')
      await Promise.all(running.map(({ done }) => done))
      for (const [i, name] of ['a', 'b'].entries()) {
        const answered = running[i]?.output().match(/^done \d+$/gm)?.length ?? 0
        const written = new Set(auditLinesOf(folder).map(line => String(line['action'])))
        for (let call = 0; call < answered; call++) expect(written).toContain(`${name}${round}-${call}-39`)
      }
    }
    const log = open(folder)
    await log.append([{ event: 'intent', action: 'after' }])
    expect(auditLines(folder).at(-1)).toMatchObject({ action: 'after' })
    const verdict = await verifyLog(folder, signal)
    // Only a line that its process died writing may be damaged.
    for (const { damages } of verdict.files) for (const { why } of damages) expect(why).toMatch(/cut off/)
    expect(verdict.head.status).toBe('ok')
  })
})

/** The last line of a file may be torn. */
function auditLinesOf(folder: string): Record<string, unknown>[] {
  return auditFiles(folder).flatMap(name =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line)),
  )
}

describe('the lock of another process', () => {
  const lockOf = (folder: string) => join(folder, 'audit.lock')
  const numbering = () => execFileSync('readlink', ['/proc/self/ns/pid'], { encoding: 'utf8' }).trim()
  const held = (pid: number, more: object = {}) =>
    JSON.stringify({
      pid,
      place: `${hostname()} ${numbering()}`,
      started: 'then',
      turn: 'a'.repeat(32),
      ...more,
    })

  async function deadPid(): Promise<number> {
    const child = spawn(process.execPath, ['-e', ''])
    await once(child, 'close')
    return child.pid ?? 0
  }

  it.runIf(process.platform === 'linux')(
    'of a dead process, or of an earlier one with this number, is broken at once',
    async () => {
      for (const pid of [await deadPid(), process.pid]) {
        const folder = dataFolder()
        writeFileSync(lockOf(folder), held(pid))
        await open(folder).append([{ event: 'intent', action: 'a' }])
        expect(auditLines(folder)).toHaveLength(1)
        expect(existsSync(lockOf(folder))).toBe(false)
      }
    },
  )

  it.runIf(process.platform === 'linux')('is broken too when the one who broke it died over it', async () => {
    const folder = dataFolder()
    const dead = await deadPid()
    writeFileSync(lockOf(folder), held(dead))
    writeFileSync(`${lockOf(folder)}.${'a'.repeat(32)}`, held(dead, { turn: 'b'.repeat(32) }))
    writeFileSync(`${lockOf(folder)}.${'b'.repeat(32)}`, held(dead, { turn: 'c'.repeat(32) }))
    await open(folder).append([{ event: 'intent', action: 'a' }])
    expect(readdirSync(folder).filter(name => /^audit\.lock(\.[abc]+)?$/.test(name))).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'lets in one at a time, however many find it dead at once',
    async () => {
      const dead = await deadPid()
      for (let round = 0; round < 20; round++) {
        const path = lockOf(dataFolder())
        writeFileSync(path, held(dead))
        let inside = 0
        let most = 0
        await Promise.all(
          Array.from({ length: 8 }, () =>
            new FolderLock(path, 5000).run(async () => {
              most = Math.max(most, ++inside)
              await new Promise(resolve => setTimeout(resolve, 1))
              inside--
            }),
          ),
        )
        expect(most).toBe(1)
      }
    },
  )

  it('is waited for first if its holder is on another machine or unknown', async () => {
    for (const text of [held(1, { place: 'elsewhere' }), '', 'garbage', held(1, { turn: '../../x' })]) {
      const path = lockOf(dataFolder())
      writeFileSync(path, text)
      const began = performance.now()
      await new FolderLock(path, 200).run(async () => {})
      expect(performance.now() - began).toBeGreaterThan(200)
    }
  })

  it.runIf(process.platform === 'linux')('whose claims lead nowhere is given up in the end', async () => {
    const dead = await deadPid()
    const path = lockOf(dataFolder())
    writeFileSync(path, held(dead))
    writeFileSync(`${path}.${'a'.repeat(32)}`, held(dead))
    await expect(new FolderLock(path, 50).run(async () => {})).rejects.toMatchObject({ code: 'EBUSY' })
  })

  it('is respected if its holder is alive: nothing is changed, and the error names the holder', async () => {
    const path = lockOf(dataFolder())
    const lock = new FolderLock(path, 100)
    await lock.run(async () => {
      await expect(lock.run(async () => {})).rejects.toThrow(`process ${process.pid} does not finish`)
    })
    expect(existsSync(path)).toBe(false)
  })
})

describe('a folder that cannot be written to', () => {
  it('refuses, and can still be read and verified', async () => {
    const folder = dataFolder()
    const log = open(folder)
    await log.append([{ event: 'intent', action: 'a' }])
    chmodSync(folder, 0o555)
    for (const name of auditFiles(folder)) chmodSync(join(folder, name), 0o444)
    // Modes do not restrict root: run the process as nobody.
    const child = start([folder, 'x', 1], [], isRoot ? NOBODY : undefined)
    expect(await child.done).toBe(3)
    expect(child.output()).toContain(
      'failed AUDIT_FAILED The audit log cannot be written (EACCES), so nothing was changed',
    )
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: true, lines: 2 })
    chmodSync(folder, 0o755)
  })
})

describe('a full disk', () => {
  function tinyDisk(size: string): string | null {
    const folder = join(dataFolder(), 'disk')
    mkdirSync(folder)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
    } catch {
      return null
    }
    onTestFinished(() => void execFileSync('umount', [folder]))
    return folder
  }

  it('refuses intents before it is full, so that outcomes can still be recorded', async context => {
    const folder = tinyDisk('1m')
    if (folder === null) return context.skip('this account may not mount a small disk')
    const options = JSON.stringify({ leastFreeBytes: 500_000 })
    const begins = start([folder, 'x', 1000, 20, 'intent', options])
    expect(await begins.done).toBe(3)
    expect(begins.output()).toMatch(/failed AUDIT_FAILED .*\(ENOSPC\), so nothing was changed/)
    const ends = start([folder, 'y', 20, 20, 'outcome', options])
    expect(await ends.done).toBe(0)
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: true })
  })

  it('leaves no partial line behind, and the log continues once there is space', async context => {
    const folder = tinyDisk('1m')
    if (folder === null) return context.skip('this account may not mount a small disk')
    const child = start([folder, 'x', 1000, 50, 'outcome'])
    expect(await child.done).toBe(3)
    expect(child.output()).toMatch(/failed AUDIT_FAILED .*\(ENOSPC\), after the fact/)
    const before = await verifyLog(folder, signal)
    expect(before).toMatchObject({ ok: true, files: [{ state: 'ok' }] })
    execFileSync('mount', ['-o', 'remount,size=20m', folder])
    const log = open(folder)
    await log.append([{ event: 'intent', action: 'again' }])
    expect(await verifyLog(folder, signal)).toMatchObject({
      ok: true,
      files: [{ state: 'ok', lines: before.lines + 1 }],
    })
  })

  it('is noticed in the middle of a line if files may not grow', async () => {
    const folder = dataFolder()
    // In blocks of 512 or 1024 bytes, depending on the shell.
    const limited = ['sh', '-c', 'trap "" XFSZ; ulimit -f 40; exec "$@"', 'sh']
    const child = start([folder, 'x', 1000, 10], limited)
    expect(await child.done).toBe(3)
    expect(child.output()).toMatch(/failed AUDIT_FAILED .*\(EFBIG\), so nothing was changed/)
    expect(statSync(join(folder, 'audit-000001.jsonl')).size).toBeGreaterThan(10_000)
    expect(await verifyLog(folder, signal)).toMatchObject({ ok: true })
  })
})
