/** So many at a time take a few milliseconds. */
const A_TURN = 500

/** Goes through many without keeping others waiting: a host serves screens and stores at the same time. */
export async function inTurns<T>(items: readonly T[], work: (item: T, i: number) => void): Promise<void> {
  for (const [i, item] of items.entries()) {
    work(item, i)
    if (i % A_TURN === A_TURN - 1) await new Promise(resolve => setImmediate(resolve))
  }
}
