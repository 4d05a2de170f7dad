import { linkedAbort } from '../lib/timers.ts'

/** Fetches page after page, with `ahead` while the previous one is in use. `next` returns null at the end. */
export async function* readAhead<Page>(
  first: (signal: AbortSignal) => Promise<Page>,
  next: (after: Page, signal: AbortSignal) => Promise<Page> | null,
  signal: AbortSignal,
  ahead: boolean,
): AsyncGenerator<Page> {
  const stop = linkedAbort(signal)
  try {
    let coming: Promise<Page> | null = first(stop.signal)
    while (coming !== null) {
      const page: Page = await coming
      if (!ahead) yield page
      coming = next(page, stop.signal)
      // Its failure is reported where it is awaited.
      coming?.catch(() => {})
      if (ahead) yield page
    }
  } finally {
    stop.stopFollowing()
    stop.abort()
  }
}
