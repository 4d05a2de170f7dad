import type { Redis } from 'ioredis'
import type { Console } from './console.ts'

const LAST = 'lock:last'

/** Stops the processes that run the page, as a page that hangs does, until the returned function resumes them. */
export async function pausePage(console: Console): Promise<() => void> {
  const processes = await renderersOf(console)
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of processes) process.kill(pid, signal)
  }
  signalAll('SIGSTOP')
  return () => signalAll('SIGCONT')
}

async function renderersOf({ page, app }: Console): Promise<number[]> {
  if (app)
    return app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map(({ webContents }) => webContents.getOSProcessId()),
    )
  const browser = await page.context().browser()?.newBrowserCDPSession()
  const { processInfo } = (await browser?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] }
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

type SentEvent = { readonly stream: number; readonly hasLast: boolean }

/** The events that leave for the page from now on: those that main sends, or those that reach the page. */
export async function logEvents({ page, app }: Console): Promise<() => Promise<SentEvent[]>> {
  if (app) {
    await app.evaluate(({ BrowserWindow }, last) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      if (!contents) throw new Error('no window')
      const events: SentEvent[] = []
      Object.assign(globalThis, { events })
      const send = contents.send
      contents.send = (channel, frame) => {
        if (frame.type === 'event')
          events.push({ stream: frame.id, hasLast: JSON.stringify(frame).includes(last) })
        send.call(contents, channel, frame)
      }
    }, LAST)
    return () => app.evaluate(() => (globalThis as unknown as { events: SentEvent[] }).events)
  }
  // Kept here: a page that is paused cannot be asked.
  const events: SentEvent[] = []
  await page.exposeFunction('logEvent', (event: SentEvent) => events.push(event))
  await page.evaluate(last => {
    const { logEvent } = globalThis as unknown as { logEvent(event: SentEvent): void }
    const parse = JSON.parse
    JSON.parse = (text, reviver) => {
      const frame = parse(text, reviver)
      if (frame?.type === 'event') logEvent({ stream: frame.id, hasLast: text.includes(last) })
      return frame
    }
  }, LAST)
  return async () => events
}

/** How many events of the stream that brings `lock:last` come before that one. */
export function staleEvents(events: readonly SentEvent[]): number {
  const at = events.findIndex(each => each.hasLast)
  return events.slice(0, at).filter(each => each.stream === events[at]?.stream).length
}

/** Every lock changes or goes, again and again, until the returned function stops it and leaves only `lock:last`. */
export function churn(client: Redis, locks: number): () => Promise<void> {
  let isOver = false
  async function run() {
    for (let round = 0; !isOver; round++) {
      const batch = client.multi().flushdb()
      for (let i = 0; i < locks; i++) batch.set(`lock:${round % 2}-${i}`, `token-${round}`, 'PX', 3_600_000)
      await batch.exec()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    await client.multi().flushdb().set(LAST, 'token-last', 'PX', 3_600_000).exec()
  }
  const running = run()
  return async () => {
    isOver = true
    await running
  }
}

/** How many times the server's keys were scanned, by anyone. */
export async function scansOf(client: Redis): Promise<number> {
  const stats = await client.info('commandstats')
  return Number(/cmdstat_scan:calls=(\d+)/.exec(stats)?.[1] ?? 0)
}
