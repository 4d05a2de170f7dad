import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { readAhead } from '../../../electron/core/stores/read-ahead.ts'

it('keeps nothing of a listing that ended alive, however long the signal lives', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const longLived = new AbortController()
  const listings: WeakRef<AbortSignal>[] = []
  const read = async (signal: AbortSignal) => {
    signal.addEventListener('abort', () => {})
    listings.push(new WeakRef(signal))
    return 'page'
  }
  const list = async (ahead: boolean) => {
    const pages = readAhead(read, () => null, longLived.signal, ahead)
    expect((await pages.next()).value).toBe('page')
    expect((await pages.next()).done).toBe(true)
  }
  await list(true)
  await list(false)
  await expect
    .poll(() => {
      collectGarbage()
      return listings.filter(listing => listing.deref())
    })
    .toEqual([])
  longLived.abort()
})

it('aborts the page that is being fetched when its signal fires or nothing reads on', async () => {
  const abort = new AbortController()
  const hang = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  const hanging = readAhead(hang, () => null, abort.signal, true).next()
  abort.abort()
  await expect(hanging).rejects.toThrow('aborted')
  await expect(
    readAhead(
      async signal => signal.aborted,
      () => null,
      abort.signal,
      true,
    ).next(),
  ).resolves.toMatchObject({ value: true })

  let second: AbortSignal | null = null
  const pages = readAhead(
    async () => 'first',
    (_, signal) => {
      second = signal
      return hang(signal)
    },
    new AbortController().signal,
    true,
  )
  await pages.next()
  await pages.return(undefined)
  expect(second).toMatchObject({ aborted: true })
})
