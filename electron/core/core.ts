import type { Core, Handlers, StreamHandlers } from './dispatch.ts'
import { ALL_FORMATS } from './formats.ts'
import { fileAudit } from './services/audit.ts'
import { Connections } from './services/connections.ts'
import { listStore } from './services/list.ts'
import { watchStore } from './services/watch.ts'

/** Puts the core together. Hosts call this once and open a session per screen. */
export function createCore(options: { readonly dataFolder: string }): Core {
  const connections = new Connections()

  const handlers: Handlers = {
    'formats.list': async () => [...ALL_FORMATS],
    'stores.open': ({ address, password }) => connections.open(address, password),
    'stores.describe': ({ storeId }, signal) => connections.get(storeId).describe(signal),
    'stores.capabilities': ({ storeId }, signal) => connections.get(storeId).capabilities(signal),
    'stores.close': async ({ storeId }) => {
      await connections.close(storeId)
      return null
    },
    'locks.inspect': ({ storeId, id }, signal) => connections.get(storeId).inspect(id, signal),
    'locks.release': ({ storeId, id, fence }, signal) => connections.get(storeId).release(id, fence, signal),
  }

  const streamHandlers: StreamHandlers = {
    'locks.list': ({ storeId, limit }, signal) => listStore(connections.get(storeId), limit, signal),
    'locks.watch': ({ storeId, intervalMs }, signal) =>
      watchStore(connections.get(storeId), intervalMs, signal),
  }

  const audit = fileAudit(options.dataFolder, input => {
    const { storeId, ...rest } = input as { storeId?: string }
    return { store: connections.addressOf(storeId ?? ''), ...rest }
  })

  return {
    handlers,
    streamHandlers,
    audit,
    redact: message => connections.redact(message),
    close: () => connections.closeAll(),
  }
}
