import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLI } from '../hosts/cli/run-cli.ts'
import { cliPlan } from './cli-plan.ts'
import { redisLocks } from './redis-locks.ts'
import { announced, missingInAudit } from './trace.ts'
import { untrue } from './truth.ts'

const LOCKS = 1500
/** How far each file may grow, in kilobytes: what is full first is what a test is about. */
const ROOM = 700
const FILLED = 500
/** Locks that are under way together. */
const MOST_AT_ONCE = 200

/** Runs the command line where no file may grow beyond a size, and whatever would is cut off in the middle. */
async function runWithin(kilobytes: number, args: readonly string[], env: NodeJS.ProcessEnv) {
  const script = `ulimit -f ${kilobytes}; exec "$@"`
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, '--', CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.resume()
  const [code] = await once(child, 'close')
  return { code, json: () => JSON.parse(stdout) as Record<string, unknown> }
}

test.each([
  ['the audit log', 'AUDIT_FAILED', '0'],
  ['the copies for an undo', 'REFUSED', '15'],
  ['the plan itself', 'REFUSED', '0'],
])(
  'when %s cannot be written any more, nothing more is released, and nothing without a trace',
  async (what, code, undoMinutes) => {
    const { address, tokens, left } = await redisLocks(LOCKS)
    const cli = await cliPlan(address, undefined, { LOCKKEEPER_UNDO_MINUTES: undoMinutes })
    const planKilobytes = Math.ceil(statSync(cli.file).size / 1024)
    expect(planKilobytes).toBeLessThan(ROOM - 100)
    if (what.includes('copies')) {
      const folder = join(cli.folder, 'undo')
      mkdirSync(folder)
      writeFileSync(
        join(folder, `${(await cli.says()).plan.header.planId}.jsonl`),
        `${' '.repeat(FILLED * 1024)}\n`,
      )
    }

    const cut = await runWithin(what.includes('plan') ? planKilobytes + 8 : ROOM, cli.args(2000), cli.env)
    const there = await left()
    const said = await cli.says()
    expect(cut.code).toBe(7)
    expect(cut.json()).toMatchObject({ state: 'stopped', troubles: [{ error: { code } }] })
    expect(there.size).toBeGreaterThan(0)
    expect(there.size).toBeLessThan(LOCKS)
    // What the file could not take any more is said to be tried, at worst.
    expect(untrue(said, tokens, there)).toEqual([])
    const told = announced(cli.folder)
    expect([...tokens.keys()].filter(key => !there.has(key) && !told.has(key))).toEqual([])

    const again = await cli.run(100_000)
    expect(again.code, again.stderr).toBe(0)
    expect(await left()).toEqual(new Map())
    expect(untrue(await cli.says(), tokens, new Map())).toEqual([])
    const toldOf = announced(cli.folder)
    expect([...tokens.keys()].filter(key => !toldOf.has(key))).toEqual([])
    // What came of the last ones before the log was full is in the plan alone.
    const untold = missingInAudit(cli.folder, await cli.says(), LOCKS)
    expect(untold.length).toBeLessThanOrEqual(code === 'AUDIT_FAILED' ? MOST_AT_ONCE : 0)
    expect(await cli.verify()).toMatchObject({ code: 0 })
  },
)
