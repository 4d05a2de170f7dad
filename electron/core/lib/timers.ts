/** What a timer can count to. */
const LONGEST_MS = 2 ** 31 - 1

/** Calls back after that time, however long it is, unless it is cancelled. */
export function later(ms: number, work: () => void, { unref = false } = {}): () => void {
  let left = ms
  let timer: NodeJS.Timeout
  const arm = () => {
    const step = Math.min(Math.max(left, 0), LONGEST_MS)
    left -= step
    timer = setTimeout(left > 0 ? arm : work, step)
    if (unref) timer.unref()
  }
  arm()
  return () => clearTimeout(timer)
}

/** Waits for it, but no longer than that. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let cancel = () => {}
  const over = new Promise<void>(resolve => {
    cancel = later(ms, resolve)
  })
  await Promise.race([work, over]).finally(cancel)
}
