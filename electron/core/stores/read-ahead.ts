/** Fetches page after page, with `ahead` while the previous one is in use. `next` returns null at the end. */
export async function* readAhead<Page>(
  first: (signal: AbortSignal) => Promise<Page>,
  next: (after: Page, signal: AbortSignal) => Promise<Page> | null,
  signal: AbortSignal,
  ahead: boolean,
): AsyncGenerator<Page> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  try {
    let coming: Promise<Page> | null = first(either)
    while (coming !== null) {
      const page: Page = await coming
      if (!ahead) yield page
      coming = next(page, either)
      // Its failure is reported where it is awaited.
      coming?.catch(() => {})
      if (ahead) yield page
    }
  } finally {
    stop.abort()
  }
}
