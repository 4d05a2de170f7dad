// A program of an application whose lock provider is switched: its settings are in its environment, as `node --env-file` reads
// them when it is started, and it does a little work under one lock after the other until it is told to stop.
import { setTimeout as sleep } from 'node:timers/promises'

const { entry, name, keys, workMs, ttl, hold } = JSON.parse(process.argv[2] ?? '{}')
const { lockManagerFromEnvironment, LockHeldError } = await import(entry)

const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())

const say = text => process.stdout.write(`${text}\n`)
const times = ttl === undefined ? {} : { ttl }
const locks = lockManagerFromEnvironment()
await locks.setup()
say(`provider ${locks.provider}`)

/** Until the work is done, or nobody wants it any more. */
async function work({ lock, signal }) {
  say(`took ${lock.key}`)
  const ends = AbortSignal.any([signal, stop.signal])
  await sleep(hold ? 3_600_000 : workMs, undefined, { signal: ends }).catch(() => {})
}

for (let n = 0; !stop.signal.aborted; n++) {
  const key = keys[n % keys.length]
  try {
    await locks.withLock(key, work, { owner: `${name}-${n}`, wait: '1s', ...times })
  } catch (error) {
    // Another one does this job: on to the next. Whatever else is wrong ends the program.
    if (!(error instanceof LockHeldError)) throw error
  }
}
await locks.close()
