import { fileURLToPath } from 'node:url'
import { onFreePort, startProcess, temporaryFolder } from './process.ts'

export type DynamoServer = {
  readonly endpoint: string
  kill(): Promise<void>
  /** Up again after a kill, on the same port with the same tables. */
  revive(): Promise<void>
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** dynalite, a DynamoDB emulator, in a process of its own so that it can be killed. */
export async function startDynamoDb(): Promise<DynamoServer> {
  const folder = await temporaryFolder('dynalite')
  const program = fileURLToPath(new URL('./dynalite.mjs', import.meta.url))
  const start = (port: number) =>
    startProcess(process.execPath, [program, String(port), folder.path], async pid => {
      const answer = await fetch(`http://127.0.0.1:${port}/pid`)
      return (await answer.text()) === String(pid)
    })
  let { server, port } = await onFreePort(async port => ({ server: await start(port), port }))
  return {
    endpoint: `http://127.0.0.1:${port}`,
    kill: () => server.stop('SIGKILL'),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    async revive() {
      server = await start(port)
    },
    async close() {
      await server.stop('SIGKILL')
      await folder.remove()
    },
  }
}
