import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { ROOM_FILE } from '../contract/open.ts'
import { temporaryFolder } from '../servers/process.ts'
import { mysqlLocks } from './mysql-locks.ts'
import { proving } from './prove.ts'
import { redisLocks } from './redis-locks.ts'
import { missingInAudit } from './trace.ts'
import { untrue } from './truth.ts'

/** A lock with an unknown result is tried once more: the last rooms must live. */
const DEATHS = 3

/** Our room, which throws in the middle of its third batch of releases: after they were recorded, and before all are answered. */
async function dyingRoom() {
  const folder = await temporaryFolder('room')
  onTestFinished(() => folder.remove())
  const file = join(folder.path, 'room.mjs')
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs'
     import { parentPort } from 'node:worker_threads'
     import ${JSON.stringify(pathToFileURL(ROOM_FILE).href)}
     const lives = ${JSON.stringify(join(folder.path, 'lives'))}
     appendFileSync(lives, '.')
     const isLast = readFileSync(lives).length > ${DEATHS}
     let batches = 0
     parentPort.on('message', messages => {
       if (isLast || !messages.some(({ type }) => type === 'kept') || ++batches < 3) return
       setImmediate(() => setImmediate(() => { throw new Error('killed') }))
     })`,
  )
  return { file, lives: () => readFileSync(join(folder.path, 'lives'), 'utf8').length }
}

describe.each([
  ['Redis', 2000, () => redisLocks(2000)],
  ['MySQL', 600, () => mysqlLocks(600, inject('mariadbPort'))],
] as const)('the room of a %s store ends in the middle of a plan, again and again', (_, count, fill) => {
  test('and the plan completes: nothing is reported as released that was not, and every lock is in the audit log', async () => {
    const { address, tokens, left } = await fill()
    const room = await dyingRoom()
    const c = await proving(address, { roomFile: room.file })
    const plan = await c.plan()
    await c.begin(plan, 1000)
    const end = await c.over(plan)
    expect(room.lives()).toBeGreaterThan(1)
    expect(end.plan.progress).toMatchObject({ state: 'done', total: count, troubles: [] })
    expect(untrue(end, tokens, await left())).toEqual([])
    expect(await left()).toEqual(new Map())
    expect(missingInAudit(c.folder, end)).toEqual([])
    const { released, gone } = end.plan.progress.counts
    expect(released + gone).toBe(count)
    expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
  })
})
