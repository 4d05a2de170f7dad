import type { Core, Handlers, StreamHandlers } from './dispatch.ts'
import { ALL_FORMATS } from './formats.ts'
import { fileAudit } from './services/audit.ts'
import { Connections } from './services/connections.ts'
import { listStore } from './services/list.ts'
import { watchStore } from './services/watch.ts'
import type { LockStore } from './stores/types.ts'

/** Puts the core together. Hosts call this once and open a session per screen. */
export function createCore(options: { readonly dataFolder: string }): Core {
  const connections = new Connections()
  const withStore = <T>(
    input: { storeId: string },
    signal: AbortSignal,
    use: (store: LockStore, until: AbortSignal) => T,
  ): T => {
    const open = connections.get(input.storeId, signal)
    return use(open.store, open.signal)
  }

  const handlers: Handlers = {
    'formats.list': async () => [...ALL_FORMATS],
    'stores.open': ({ address, password }) => connections.open(address, password),
    'stores.describe': async (input, signal) =>
      withStore(input, signal, (store, until) => store.describe(until)),
    'stores.capabilities': async (input, signal) =>
      withStore(input, signal, (store, until) => store.capabilities(until)),
    'stores.close': async ({ storeId }) => {
      await connections.close(storeId)
      return null
    },
    'locks.inspect': async (input, signal) =>
      withStore(input, signal, (store, until) => store.inspect(input.id, until)),
    'locks.release': async (input, signal) =>
      withStore(input, signal, (store, until) => store.release(input.id, input.fence, until)),
  }

  const streamHandlers: StreamHandlers = {
    'locks.list': (input, signal) =>
      withStore(input, signal, (store, until) => listStore(store, input.limit, until)),
    'locks.watch': (input, signal) =>
      withStore(input, signal, (store, until) => watchStore(store, input.intervalMs, until)),
  }

  const audit = fileAudit(
    options.dataFolder,
    input => {
      const { storeId, ...rest } = input as { storeId?: string }
      return { store: connections.addressOf(storeId ?? ''), ...rest }
    },
    message => connections.redact(message),
  )

  return {
    handlers,
    streamHandlers,
    audit,
    redact: message => connections.redact(message),
    close: () => connections.closeAll(),
  }
}
