import { aborted, type StoreError } from '../../lib/errors.ts'

/** Settles with the promise, or fails after a time, or when the signal says so. */
export async function race<T>(
  promise: Promise<T>,
  withinMs: number,
  signal: AbortSignal | null,
  late: () => StoreError,
): Promise<T> {
  let giveUp: () => void = () => {}
  let timer: NodeJS.Timeout | undefined
  const gaveUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), withinMs)
    giveUp = () => reject(aborted())
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([promise, gaveUp])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

export async function settledWithin(work: Promise<unknown>, withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise(resolve => {
    timer = setTimeout(resolve, withinMs)
  })
  await Promise.race([work.catch(() => {}), enough])
  clearTimeout(timer)
}
