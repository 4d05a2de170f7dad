import { fileURLToPath } from 'node:url'
import { freePort, startProcess, temporaryFolder } from './process.ts'

export type DynamoServer = {
  readonly endpoint: string
  kill(): Promise<void>
  /** Up again after a kill, on the same port with the same tables. */
  revive(): Promise<void>
  close(): Promise<void>
}

/** dynalite, a DynamoDB emulator, in a process of its own so that it can be killed. */
export async function startDynamoDb(): Promise<DynamoServer> {
  const folder = await temporaryFolder('dynalite')
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const program = fileURLToPath(new URL('./dynalite.mjs', import.meta.url))
  const start = () =>
    startProcess(process.execPath, [program, String(port), folder.path], async () => {
      // Without a signature it answers 400; that it answers is enough.
      await fetch(endpoint)
      return true
    })
  let server = await start()
  return {
    endpoint,
    kill: () => server.stop('SIGKILL'),
    async revive() {
      server = await start()
    },
    async close() {
      await server.stop('SIGKILL')
      await folder.remove()
    },
  }
}
