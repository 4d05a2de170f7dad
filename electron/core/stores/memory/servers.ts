import { startPractice } from './practice.ts'
import { MemoryServer } from './server.ts'

const servers = new Map<string, MemoryServer>()

/** Memory stores with the same name in one process share their locks. `practice` is alive and has stuck locks in it. */
export function memoryServer(name: string): MemoryServer {
  let server = servers.get(name)
  if (!server) {
    server = new MemoryServer()
    servers.set(name, server)
    if (name === 'practice') startPractice(server)
  }
  return server
}
