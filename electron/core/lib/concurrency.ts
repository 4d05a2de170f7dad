import { StoreError, toFailure } from './errors.ts'

/** What became of one of many: one that fails says so by itself, and the others go on. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: StoreError }

export async function settle<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (error instanceof StoreError) return { ok: false, error }
    const { code, message } = toFailure(error)
    return { ok: false, error: new StoreError(code, message, { cause: error }) }
  }
}

/** The value of the only one, or its error thrown. */
export function only<T>([first]: readonly Settled<T>[]): T {
  if (first === undefined) throw new StoreError('INTERNAL', 'There was no answer')
  if (!first.ok) throw first.error
  return first.value
}

/** Runs the work for each of them, so many at a time. The work must not throw. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}
