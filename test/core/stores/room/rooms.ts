import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { RoomStore } from '../../../../electron/core/stores/room/room-store.ts'

const ADDRESS = 'redis://127.0.0.1:6379/0'

/**
 * A store whose room is this program instead of ours. `on(message)` is called with each message of the console; `send` answers;
 * `lives` counts the rooms of this store, the present one included.
 */
export function storeWithRoom(on: string): RoomStore {
  const folder = mkdtempSync(join(tmpdir(), 'room-'))
  const file = join(folder, 'room.mjs')
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs'
     import { parentPort } from 'node:worker_threads'
     appendFileSync(${JSON.stringify(join(folder, 'lives'))}, '.')
     const lives = readFileSync(${JSON.stringify(join(folder, 'lives'))}, 'utf8').length
     const send = message => parentPort.postMessage({ messages: [message], spent: { requests: 10, units: null } })
     const answer = (id, value) => send({ type: 'answer', id, result: { ok: true, value } })
     const loop = () => { for (;;); }
     parentPort.on('message', messages => messages.forEach(receive))
     function receive(message) {
       if (message.type === 'ping') return send({ type: 'pong', bytes: 1 })
       if (message.type === 'close') return send({ type: 'closed' })
       ${on}
     }
     send({ type: 'ready' })`,
  )
  const store = new RoomStore(file, { address: ADDRESS, password: undefined })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}
