import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { quietClients } from '../../lib/quiet-clients.ts'
import { openStore } from '../kinds/kinds.ts'
import { type BatchFromRoom, type RoomData, resultOf } from './messages.ts'
import { serveStore } from './serve.ts'

quietClients()

const port = parentPort as MessagePort
const { address, password } = workerData as RoomData
const opened = await resultOf(() => openStore(address, password))
if (opened.ok) serveStore(port, opened.value)
else
  port.postMessage({
    messages: [{ type: 'refused', failure: opened.error }],
    spent: { requests: 0, units: null },
  } satisfies BatchFromRoom)
