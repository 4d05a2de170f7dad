import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { onTestFinished } from 'vitest'

/** Sockets and timers, as Node names them. */
const TYPES = ['TCPWRAP', 'Timeout']

/**
 * Runs the work. The returned function names the open sockets and running timers that the work created, including those that
 * keep no process alive. Counting all of the process would not do: the test runner's own come and go.
 */
export async function handlesOf(work: () => Promise<void>): Promise<() => string[]> {
  const isOurs = new AsyncLocalStorage<boolean>()
  const open = new Map<number, string>()
  const hook = createHook({
    init(id, type) {
      if (TYPES.includes(type) && isOurs.getStore()) open.set(id, type)
    },
    destroy: id => void open.delete(id),
  }).enable()
  onTestFinished(() => void hook.disable())
  await isOurs.run(true, work)
  return () => [...open.values()]
}
