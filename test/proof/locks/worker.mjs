// A program that takes, renews, waits for and gives back locks, and writes down what it does. It is killed and paused at will:
// every line is in its file before the next thing happens.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const { entry, address, options, keys, ttlMs, file, loops, clockMs } = JSON.parse(process.argv[2] ?? '{}')
const { createLockManager, LockHeldError, LockLostError } = await import(entry)

// The steady clock of the machine, which is the same in all processes; what each calls the time of its start is not.
const now = () => Number(process.hrtime.bigint()) / 1e6 + clockMs
const say = line => appendFileSync(file, `${JSON.stringify({ ...line, at: now() })}\n`)
const below = limit => Math.floor(Math.random() * limit)

let asked = 0
let stopping = false
process.on('message', () => {
  stopping = true
})
process.on('disconnect', () => process.exit(0))

/** Takes it by hand, holds it for a moment, sometimes extends it, and mostly gives it back. */
async function byHand(manager, key) {
  const n = ++asked
  const wait = below(5) === 0 ? 50 : undefined
  say({ is: 'ask', n, key, ttlMs })
  let result
  try {
    result = await manager.acquire(key, { ttl: ttlMs, ...(wait === undefined ? {} : { wait }) })
  } catch (error) {
    say({ is: 'failed', n, why: String(error?.message ?? error) })
    await sleep(50)
    return
  }
  if (!result.acquired) {
    say({ is: 'refused', n })
    return
  }
  const { lock } = result
  say({ is: 'taken', n, fencing: lock.fencing, expiresAt: lock.expiresAt })
  if (below(4) === 0) await sleep(below(8))
  if (below(5) === 0) {
    const ok = await lock.renew(ttlMs).catch(() => null)
    // What is not known counts as not extended: it is then held at least as long as was known before.
    say({ is: 'renewed', n, ok: ok === true, expiresAt: lock.expiresAt })
  }
  // Forgotten, as by a program with a bug.
  if (below(400) === 0) return
  say({ is: 'let-go', n })
  try {
    const { outcome } = await lock.release()
    say({ is: 'released', n, ok: outcome === 'released' })
  } catch {
    // It may be there still, or not.
  }
}

/** Work under a lock, now and then longer than the lock is good for without being renewed. */
async function guarded(manager, key) {
  const n = ++asked
  const workMs = below(300) === 0 ? ttlMs * 1.5 : below(6)
  let workedUntil = 0
  say({ is: 'ask', n, key, ttlMs })
  try {
    await manager.withLock(
      key,
      async ({ lock, signal }) => {
        say({ is: 'taken', n, fencing: lock.fencing, expiresAt: lock.expiresAt })
        try {
          await sleep(workMs, undefined, { signal })
        } catch {
          // Told to stop, as a program should be.
        }
        workedUntil = now()
        // What follows is the release, and a program may be killed in the middle of it.
        say({ is: 'let-go', n })
      },
      { ttl: ttlMs, wait: 50 },
    )
    say({ is: 'guarded', n, workedUntil, lost: false })
  } catch (error) {
    if (error instanceof LockHeldError) say({ is: 'refused', n })
    else if (error instanceof LockLostError) say({ is: 'guarded', n, workedUntil, lost: true })
    else say({ is: 'failed', n, why: String(error?.message ?? error) })
  }
}

async function loop(manager) {
  while (!stopping) {
    const key = keys[below(keys.length)]
    await (below(3) === 0 ? guarded(manager, key) : byHand(manager, key))
  }
}

// Several managers, as in several modules of a program that know nothing of each other.
const managers = Array.from({ length: loops }, () => createLockManager(address, options))
process.send?.('ready')
await Promise.all(managers.map(loop))
await Promise.all(managers.map(manager => manager.close()))
process.exit(0)
