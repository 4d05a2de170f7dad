/** So many at a time take a few milliseconds. */
const A_TURN = 500

/** Goes through many without keeping others waiting: a host serves screens and stores at the same time. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T, i: number) => void): Promise<void> {
  let i = 0
  for (const item of items) {
    work(item, i++)
    if (i % A_TURN === 0) await new Promise(resolve => setImmediate(resolve))
  }
}
