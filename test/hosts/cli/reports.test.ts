import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unwritable } from '../../../electron/hosts/cli/lib/whole-file.ts'
import { reportDocumentSchema } from '../../../shared/report-document.ts'
import { populateRedis } from '../../bench/populate.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { rechargeJson } from '../../e2e/places.ts'
import { freePort } from '../../servers/process.ts'
import { startRedis } from '../../servers/redis.ts'
import { CLI, dataFolder, runCli, startCli } from './run-cli.ts'

/** A Redis with some locks, and a folder for reports. */
async function place(locks = 3) {
  const redis = await redisPlace()
  for (let i = 0; i < locks; i++) await redis.client.set(`lockRecharge:P${i}`, rechargeJson(`P_${i}`))
  const folder = dataFolder()
  return { redis, folder, file: (name: string) => join(folder, name) }
}

async function bash(script: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const child = spawn('bash', ['-c', script, 'bash', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOCKKEEPER_DATA_DIR: dataFolder() },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  await once(child, 'close')
  return { stdout, stderr }
}

describe('lockkeeper export', () => {
  it.each(['csv', 'json', 'md', 'html'])('writes %s, readable by its owner alone', async as => {
    const { redis, folder, file } = await place()
    const out = file(`r.${as}`)
    const run = await runCli(['export', redis.address, '--as', as, '--out', out, '--json'])
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    const text = readFileSync(out)
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(run.json()).toEqual({ file: out, stores: 1, locks: 3, bytes: text.length, sha256, unread: [] })
    expect(statSync(out).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual([`r.${as}`])
    expect(text.toString()).toContain('lockRecharge:P2')
  })

  it('derives the format from the name, filters, titles the report, and records the version', async () => {
    const { redis, file } = await place()
    const args = ['--since', '15m', '--filter', 'key:P1', '--title', 'Outage', '--out', file('r.json')]
    const run = await runCli(['export', redis.address, ...args])
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/^Wrote \S+r\.json: 1 lock, \d+ kB, SHA-256 [0-9a-f]{64}\n$/)
    const { asked, locks, tool } = reportDocumentSchema.parse(
      JSON.parse(readFileSync(file('r.json'), 'utf8')),
    )
    expect(asked).toMatchObject({ title: 'Outage', filter: 'key:P1' })
    expect(Date.parse(asked.to) - Date.parse(asked.from)).toBe(900_000)
    expect(locks.map(({ key }) => key)).toEqual(['lockRecharge:P1'])
    expect(tool.version).toMatch(/^\d+\.\d+\.\d+/)
  })

  it('takes several stores and writes to the standard output', async () => {
    const [one, two] = [await place(2), await place(3)]
    const run = await runCli(['export', one.redis.address, two.redis.address, '--as', 'csv', '--out', '-'])
    expect(run.code).toBe(0)
    expect(run.stdout.match(/^lock,/gm)).toHaveLength(5)
    expect(run.stdout).toMatch(/^end,.*complete/m)
  })

  it('takes calendar times, in UTC unless they have a zone', async () => {
    const { redis, file } = await place(0)
    const window = ['--since', '2026-01-02T10:00', '--until', '2026-01-02T12:30:00+02:00']
    expect((await runCli(['export', redis.address, '--out', file('r.json'), ...window])).code).toBe(0)
    const { asked } = JSON.parse(readFileSync(file('r.json'), 'utf8'))
    expect(asked).toMatchObject({ from: '2026-01-02T10:00:00.000Z', to: '2026-01-02T10:30:00.000Z' })
  })

  it.each<[string, string[], RegExp]>([
    ['no file', [], /--out is missing/],
    ['no format', ['--out', 'report'], /--as must be one of md, html, json, csv/],
    ['a format that there is not', ['--as', 'xls', '--out', 'r'], /--as must be one of/],
    ['PDF', ['--as', 'pdf', '--out', 'r'], /PDF is written by the window/],
    ['a time that is none', ['--out', 'r.md', '--since', 'yesterday'], /--since must be 90s, 15m/],
    ['a day that there is not', ['--out', 'r.md', '--since', '2026-13-40'], /--since must be 90s, 15m/],
    ['an end that is none', ['--out', 'r.md', '--until', 'soon'], /--until must be 90s, 15m/],
    [
      'an end before the beginning',
      ['--out', 'r.md', '--since', '1h', '--until', '2020-01-01', '--since', '2021-01-01'],
      /--since must be before --until/,
    ],
    ['a window of nothing', ['--out', 'r.md', '--since', '0'], /--since must be before --until/],
    ['JSON about the standard output', ['--out', '-', '--as', 'md', '--json'], /name one with --out/],
    ['a filter that is not complete', ['--out', 'r.md', '--filter', 'state:exp'], /“exp” is not a state/],
  ])('refuses %s as bad usage, and writes nothing', async (_, args, words) => {
    const folder = dataFolder()
    const inFolder = args.map((arg, i) => (args[i - 1] === '--out' && arg !== '-' ? join(folder, arg) : arg))
    const run = await runCli(['export', 'memory:practice', ...inFolder])
    expect(run.stderr).toMatch(words)
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(run.code).toBe(2)
    expect(readdirSync(folder)).toEqual([])
  })

  it('writes the last known state of a store that is down, reports it, and exits with 7', async () => {
    const { redis, file } = await place()
    const port = await freePort()
    const down = `redis://127.0.0.1:${port}/0`
    const run = await runCli(['export', down, redis.address, '--out', file('r.json')])
    expect(run.code).toBe(7)
    expect(run.stderr).toMatch(
      new RegExp(`^lockkeeper: Not all of redis at 127\\.0\\.0\\.1:${port} could be read: `),
    )
    const { stores, end } = reportDocumentSchema.parse(JSON.parse(readFileSync(file('r.json'), 'utf8')))
    expect(stores.map(({ status }) => status)).toEqual(['down', 'unwatched'])
    expect(end).toMatchObject({ locks: 3, complete: false })
  })

  it('a window longer than the calendar starts with it', async () => {
    const { redis, file } = await place(0)
    const run = await runCli(['export', redis.address, '--since', '99999d', '--out', file('r.json')])
    expect([run.code, run.stderr]).toEqual([0, ''])
    const { asked } = JSON.parse(readFileSync(file('r.json'), 'utf8'))
    expect(asked.from).toBe('1970-01-01T00:00:00.000Z')
  })

  it('leaves tokens out by default', async () => {
    const { redis, file } = await place(0)
    await redis.client.set('lock:orders', 'a-token-that-is-secret')
    const [without, included] = [file('a.md'), file('b.md')]
    await runCli(['export', redis.address, '--out', without])
    await runCli(['export', redis.address, '--out', included, '--with-tokens'])
    expect(readFileSync(without, 'utf8')).not.toContain('a-token-that-is-secret')
    expect(readFileSync(included, 'utf8')).toContain('a-token-that-is-secret')
  })
})

describe('a report that cannot be written', () => {
  it.each<[string, string, number, RegExp]>([
    ['a folder that there is not', 'nowhere/r.md', 2, /cannot be written: its folder does not exist/],
    ['a folder', '.', 2, /is not a file/],
    ['a file taken for a folder', 'kept.md/r.md', 2, /cannot be written/],
  ])('is reported for %s', async (_, name, code, words) => {
    const folder = dataFolder()
    writeFileSync(join(folder, 'kept.md'), 'kept')
    const run = await runCli(['export', 'memory:practice', '--as', 'md', '--out', join(folder, name)])
    expect(run.stderr).toMatch(words)
    expect(run.code).toBe(code)
    expect(readdirSync(folder)).toEqual(['kept.md'])
  })

  it('replaces only files, and follows a link to its file', async () => {
    const folder = dataFolder()
    const pipe = join(folder, 'pipe')
    spawnSync('mkfifo', [pipe])
    const run = await runCli(['export', 'memory:practice', '--as', 'md', '--out', pipe])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/is not a file; --out - writes to the standard output/)
    expect(statSync(pipe).isFIFO()).toBe(true)
    writeFileSync(join(folder, 'real.md'), 'before')
    symlinkSync('real.md', join(folder, 'link.md'))
    expect((await runCli(['export', 'memory:practice', '--out', join(folder, 'link.md')])).code).toBe(0)
    expect(readFileSync(join(folder, 'real.md'), 'utf8')).toContain('# Incident report')
    expect(readdirSync(folder).sort()).toEqual(['link.md', 'pipe', 'real.md'])
  })

  it.runIf(process.getuid?.() === 0)('does not follow a link that another account made', async () => {
    const folder = dataFolder()
    writeFileSync(join(folder, 'victim'), 'precious')
    symlinkSync('victim', join(folder, 'link.md'))
    lchownSync(join(folder, 'link.md'), 65534, 65534)
    const run = await runCli(['export', 'memory:practice', '--out', join(folder, 'link.md')])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/is a link of another account/)
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious')
  })

  it('is reported where this account may not write', async () => {
    const folder = dataFolder()
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    // Root may write everywhere but where the system itself writes nothing.
    const out = process.getuid?.() === 0 ? '/proc/report.md' : join(closed, 'report.md')
    const run = await runCli(['export', 'memory:practice', '--out', out])
    expect(run.stderr).toMatch(/report\.md cannot be written: /)
    expect([2, 6]).toContain(run.code)
  })

  it.each([
    ['ENOSPC', 'INTERNAL', 'r.md was not written: the disk is full (ENOSPC)'],
    ['EACCES', 'REFUSED', 'r.md cannot be written: this account may not write there (EACCES)'],
    ['EROFS', 'INTERNAL', 'r.md was not written: the disk is read-only (EROFS)'],
    ['EIO', 'INTERNAL', 'r.md was not written: the disk has failed (EIO)'],
    ['EMFILE', 'INTERNAL', 'r.md was not written: this process has too many files open (EMFILE)'],
    ['EWHATEVER', 'INTERNAL', 'r.md was not written: EWHATEVER'],
  ])('explains %s', (code, failure, message) => {
    expect(unwritable('r.md', Object.assign(new Error('no'), { code })).failure).toEqual({
      code: failure,
      message,
    })
  })

  it('keeps the previous file, and no partial one, when the disk is full', async () => {
    const { redis, folder, file } = await place(0)
    await populateRedis(redis.client, 'locks', 5000)
    writeFileSync(file('r.json'), 'the report of yesterday')
    const script = 'ulimit -f 300; exec "$@"'
    const args = [process.execPath, '--', CLI, 'export', redis.address, '--out', file('r.json')]
    const child = spawn('bash', ['-c', script, 'bash', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, LOCKKEEPER_DATA_DIR: dataFolder() },
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    const [code] = await once(child, 'close')
    expect(stderr).toMatch(/^lockkeeper: \S+r\.json was not written: the disk is full \(EFBIG\)\n$/)
    expect(code).toBe(1)
    expect(readFileSync(file('r.json'), 'utf8')).toBe('the report of yesterday')
    expect(readdirSync(folder)).toEqual(['r.json'])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves nothing when %s comes in the middle',
    async signal => {
      const { redis, folder, file } = await place(0)
      await populateRedis(redis.client, 'locks', 60_000)
      const { child, done } = startCli(['export', redis.address, '--out', file('r.html')])
      const size = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
      await expect.poll(size, { interval: 10 }).toBeGreaterThan(0)
      child.kill(signal)
      const run = await done
      expect(run.stderr).toBe('lockkeeper: Stopped on request: nothing was written\n')
      expect(run.code).toBe(1)
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('ends silently and without error when its reader has enough', async () => {
    const { redis } = await place(0)
    await populateRedis(redis.client, 'locks', 20_000)
    const args = [process.execPath, '--', CLI, 'export', redis.address, '--as', 'csv', '--out', '-']
    const { stdout, stderr } = await bash('set -o pipefail; "$@" | head -1; echo "code $?"', args)
    expect(stdout).toMatch(/^\ufeffpart,store,.*\r\ncode 0\n$/)
    expect(stderr).toBe('')
  })

  it('waits for a slow reader, and is incomplete when stopped', async () => {
    const { redis } = await place(0)
    await populateRedis(redis.client, 'locks', 20_000)
    const args = [process.execPath, '--', CLI, 'export', redis.address, '--as', 'json', '--out', '-']
    expect((await bash('"$@" | cat > /dev/null', args)).stderr).toBe('')
    const [program = '', ...rest] = args
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.on('data', text => {
      said += text
    })
    // The report has begun, and its reader takes no more of it than a pipe holds.
    await once(child.stdout, 'readable')
    child.kill('SIGINT')
    child.stdout.resume()
    await once(child, 'close')
    expect(said).toBe('lockkeeper: Stopped: the printed report is incomplete\n')
  })

  it('names the missing part, and is otherwise complete, when the store dies midway', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL').catch(() => {}))
    const client = new Redis({ port: server.port })
    client.on('error', () => {})
    await populateRedis(client, 'locks', 100_000)
    const folder = dataFolder()
    const out = join(folder, 'r.json')
    const { done } = startCli(['export', `redis://127.0.0.1:${server.port}/0`, '--out', out])
    const size = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    await expect.poll(size, { interval: 5 }).toBeGreaterThan(0)
    await server.stop('SIGKILL')
    client.disconnect()
    const run = await done
    expect(run.code).toBe(7)
    expect(run.stderr).toMatch(/^lockkeeper: Not all of .* could be read/)
    const { end, locks } = reportDocumentSchema.parse(JSON.parse(readFileSync(out, 'utf8')))
    expect(locks.length).toBe(end.locks)
    expect(end.locks).toBeLessThan(100_000)
    expect(end.complete).toBe(false)
    expect(readdirSync(folder)).toEqual(['r.json'])
  })
})
