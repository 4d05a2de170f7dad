import { setMaxListeners } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  AcquireRequest,
  Grant,
  OwnerProof,
  Provider,
  Refusal,
} from '../../../electron/core/locks/provider.ts'
import { nameTests } from './provider-names.ts'

/** What the suite needs of a provider under test. `age` and `foreign` use the plain client, as other programs would. */
export interface ProviderPlace {
  readonly provider: Provider
  /** The same place through a connection of its own. */
  readonly second: Provider
  /** Makes the stored lock run out, as time would have; resolves when it has. */
  age(name: string): Promise<void>
  /** Writes a lock as another program of this format does, for a minute or more, and replaces whoever has it. */
  foreign(name: string, owner: string): Promise<void>
  close(): Promise<void>
}

export type ProviderTraits = {
  /** Whether a mark tells two acquisitions of the same owner apart. */
  readonly marks: boolean
  /** Whether acquisitions get a fencing number as `open` makes the provider. */
  readonly fencing: boolean
  /** A name that is too long for the format; null where there is no such. */
  readonly tooLong: string | null
  /** Whether a name may have a NUL in it. Where not, it is refused. */
  readonly nul: boolean
  /** How far the end that the holder counts on and the one that others read may be apart; a second if it is left out. */
  readonly slackMs?: number
}

const never = new AbortController().signal
// Any number of calls listen to it at once.
setMaxListeners(0, never)
const MINUTE = 60_000
/** Formats count in seconds and round them up; DynamoDB's time is known no better than to a second either. */
const MORE_MS = 3500
const request = (owner: string, more: Partial<AcquireRequest> = {}): AcquireRequest => ({
  owner,
  ttlMs: MINUTE,
  metadata: null,
  ...more,
})

let names = 0
const fresh = (): string => `suite:lock-${++names}`

/** One suite that every provider passes: what a lock manager builds on. */
export function providerSuite(
  title: string,
  open: () => Promise<ProviderPlace>,
  { marks, fencing, tooLong, nul, slackMs = 1000 }: ProviderTraits,
): void {
  describe(`${title} as a lock provider`, () => {
    let place: ProviderPlace
    let provider: Provider
    beforeAll(async () => {
      place = await open()
      provider = place.provider
      await Promise.all([provider.setup(never), place.second.setup(never), provider.setup(never)])
    })
    afterAll(() => place.close())

    const taken = async (name: string, owner: string, more: Partial<AcquireRequest> = {}): Promise<Grant> => {
      const answer = await provider.take(name, request(owner, more), never)
      if (answer.is !== 'taken') throw new Error(`${name} was not free`)
      return answer
    }
    const proof = (owner: string, { mark }: Grant): OwnerProof => ({ owner, mark })
    const ownerOf = async (name: string) => (await place.second.read(name, never))?.owner ?? null

    it('grants a free lock for the requested lease, by the store’s clock', async () => {
      const name = fresh()
      expect(await provider.read(name, never)).toBeNull()
      const lock = await taken(name, 'run-1')
      expect(lock.expiresAt - lock.acquiredAt).toBeGreaterThanOrEqual(MINUTE - 1000)
      expect(lock.expiresAt - lock.acquiredAt).toBeLessThanOrEqual(MINUTE + MORE_MS)
      const holder = await place.second.read(name, never)
      expect(holder?.owner).toBe('run-1')
      expect(Math.abs((holder?.expiresAt ?? 0) - lock.expiresAt)).toBeLessThanOrEqual(slackMs)
    })

    it('refuses a held lock, with its holder and remaining time', async () => {
      const name = fresh()
      await taken(name, 'run-1')
      const answer = (await place.second.take(name, request('run-2'), never)) as Refusal
      expect(answer).toMatchObject({ is: 'held', holder: { owner: 'run-1' } })
      expect(answer.leftMs).toBeGreaterThan(0)
      expect(answer.leftMs).toBeLessThanOrEqual(MINUTE + MORE_MS)
      expect(await ownerOf(name)).toBe('run-1')
    })

    it('refuses a lock that the same owner holds already', async () => {
      const name = fresh()
      await taken(name, 'run-1')
      expect(await provider.take(name, request('run-1'), never)).toMatchObject({ is: 'held' })
    })

    it('refuses a lock that another program has written', async () => {
      const name = fresh()
      await place.foreign(name, 'foreign-run')
      expect(await provider.take(name, request('run-1'), never)).toMatchObject({
        is: 'held',
        holder: { owner: 'foreign-run' },
      })
      expect((await provider.read(name, never))?.owner).toBe('foreign-run')
    })

    it('lets another program acquire its expired lock, and acquires that program’s', async () => {
      const name = fresh()
      await place.foreign(name, 'foreign-run')
      await place.age(name)
      expect(await provider.take(name, request('run-1'), never)).toMatchObject({ is: 'taken' })
      expect(await ownerOf(name)).toBe('run-1')
    })

    it('reports an expired lock as free, and grants it to the next request', async () => {
      const name = fresh()
      const first = await taken(name, 'run-1')
      await place.age(name)
      expect(await provider.read(name, never)).toBeNull()
      const second = await place.second.take(name, request('run-2'), never)
      expect(second.is).toBe('taken')
      expect(await ownerOf(name)).toBe('run-2')
      expect(await provider.release(name, proof('run-1', first), never)).toMatchObject({
        is: 'lost',
        holder: { owner: 'run-2' },
      })
      expect(await ownerOf(name)).toBe('run-2')
    })

    it('lets a lock with a short lease expire by itself', async () => {
      const name = fresh()
      await taken(name, 'run-1', { ttlMs: 1000 })
      await expect.poll(() => ownerOf(name)).toBeNull()
      expect(await place.second.take(name, request('run-2'), never)).toMatchObject({ is: 'taken' })
    })

    it('extends a lock from now by the requested lease', async () => {
      const name = fresh()
      const lock = await taken(name, 'run-1')
      const answer = await provider.extend(name, proof('run-1', lock), 10 * MINUTE, never)
      expect(answer).toMatchObject({ is: 'extended' })
      const expiresAt = answer.is === 'extended' ? answer.expiresAt : 0
      expect(expiresAt - lock.acquiredAt).toBeGreaterThanOrEqual(10 * MINUTE - 1000)
      const holder = await place.second.read(name, never)
      expect(Math.abs((holder?.expiresAt ?? 0) - expiresAt)).toBeLessThanOrEqual(slackMs)
      // Its holder can let it go as before, and extend it again.
      expect(await provider.extend(name, proof('run-1', lock), MINUTE, never)).toMatchObject({
        is: 'extended',
      })
      expect(await provider.release(name, proof('run-1', lock), never)).toEqual({ is: 'released' })
    })

    it('extends a lock only for its holder, and names the holder', async () => {
      const name = fresh()
      const lock = await taken(name, 'run-1')
      const before = await place.second.read(name, never)
      const answer = await place.second.extend(name, proof('run-2', lock), 10 * MINUTE, never)
      expect(answer).toMatchObject({ is: 'lost', holder: { owner: 'run-1' } })
      const after = await place.second.read(name, never)
      expect(after?.owner).toBe('run-1')
      expect(Math.abs((after?.expiresAt ?? 0) - (before?.expiresAt ?? 0))).toBeLessThanOrEqual(slackMs)
    })

    it('never extends an expired lock, even if it is still free', async () => {
      const name = fresh()
      const lock = await taken(name, 'run-1')
      await place.age(name)
      expect(await provider.extend(name, proof('run-1', lock), MINUTE, never)).toMatchObject({ is: 'lost' })
      expect(await provider.extend(name, { owner: 'run-1', mark: null }, MINUTE, never)).toMatchObject({
        is: 'lost',
      })
      expect(await ownerOf(name)).toBeNull()
    })

    it('never creates a lock by extending a released one', async () => {
      const name = fresh()
      const lock = await taken(name, 'run-1')
      await provider.release(name, proof('run-1', lock), never)
      expect(await provider.extend(name, proof('run-1', lock), MINUTE, never)).toEqual({
        is: 'lost',
        holder: null,
      })
      expect(await ownerOf(name)).toBeNull()
    })

    it('releases a lock for its holder, and only once', async () => {
      const name = fresh()
      const lock = await taken(name, 'run-1')
      expect(await provider.release(name, proof('run-1', lock), never)).toEqual({ is: 'released' })
      expect(await provider.release(name, proof('run-1', lock), never)).toEqual({ is: 'lost', holder: null })
      expect(await place.second.take(name, request('run-2'), never)).toMatchObject({ is: 'taken' })
    })

    it('releases for no other owner', async () => {
      const name = fresh()
      const lock = await taken(name, 'run-1')
      expect(await place.second.release(name, proof('run-2', lock), never)).toMatchObject({
        is: 'lost',
        holder: { owner: 'run-1' },
      })
      await place.foreign(name, 'foreign-run')
      expect(await provider.release(name, proof('run-1', lock), never)).toMatchObject({
        is: 'lost',
        holder: { owner: 'foreign-run' },
      })
      expect(await ownerOf(name)).toBe('foreign-run')
    })

    it('accepts the owner alone where no mark is given', async () => {
      const name = fresh()
      await taken(name, 'run-1')
      const byOwner = { owner: 'run-1', mark: null }
      expect(await place.second.extend(name, byOwner, MINUTE, never)).toMatchObject({ is: 'extended' })
      expect(await place.second.release(name, byOwner, never)).toEqual({ is: 'released' })
      await place.foreign(name, 'foreign-run')
      expect(await provider.release(name, { owner: 'foreign-run', mark: null }, never)).toEqual({
        is: 'released',
      })
    })

    if (marks)
      it('distinguishes two acquisitions of one owner by their marks', async () => {
        const name = fresh()
        const first = await taken(name, 'run-1')
        await provider.release(name, proof('run-1', first), never)
        const second = await taken(name, 'run-1')
        expect(second.mark).not.toBe(first.mark)
        expect(await provider.extend(name, proof('run-1', first), MINUTE, never)).toMatchObject({
          is: 'lost',
        })
        expect(await provider.release(name, proof('run-1', first), never)).toMatchObject({
          is: 'lost',
          holder: { owner: 'run-1' },
        })
        expect(await provider.release(name, proof('run-1', second), never)).toEqual({ is: 'released' })
      })

    it('grants a free lock to exactly one of many simultaneous requests', async () => {
      const name = fresh()
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (i % 2 === 0 ? provider : place.second).take(name, request(`run-${i}`), never),
        ),
      )
      const winners = answers.flatMap(({ is }, i) => (is === 'taken' ? [`run-${i}`] : []))
      expect(winners).toHaveLength(1)
      expect(await ownerOf(name)).toBe(winners[0])
    })

    it('grants an expired lock to exactly one of many simultaneous requests', async () => {
      const name = fresh()
      await taken(name, 'gone')
      await place.age(name)
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (i % 2 === 0 ? provider : place.second).take(name, request(`run-${i}`), never),
        ),
      )
      const winners = answers.flatMap(({ is }, i) => (is === 'taken' ? [`run-${i}`] : []))
      expect(winners).toHaveLength(1)
      expect(await ownerOf(name)).toBe(winners[0])
    })

    if (fencing)
      it('gives each acquisition a greater fencing number than the last', async () => {
        const name = fresh()
        const numbers: number[] = []
        for (let i = 0; i < 6; i++) {
          const from = i % 2 === 0 ? provider : place.second
          const lock = await from.take(name, request('run-1'), never)
          if (lock.is !== 'taken' || lock.fencing === null) throw new Error('no fencing number')
          numbers.push(lock.fencing)
          if (i % 3 === 0) await place.age(name)
          else await from.release(name, proof('run-1', lock), never)
        }
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
        expect(numbers.every(Number.isSafeInteger)).toBe(true)
      })

    nameTests(() => ({ provider, second: place.second }), { taken, proof, ownerOf, fresh }, { tooLong, nul })

    if (!marks)
      it('identifies an acquisition by its owner alone', async () => {
        expect((await taken(fresh(), 'run-1')).mark).toBeNull()
      })

    if (!fencing)
      it('omits the fencing number where it might not rise', async () => {
        expect((await taken(fresh(), 'run-1')).fencing).toBeNull()
      })

    it('does nothing for a signal that has already fired', async () => {
      const name = fresh()
      await expect(provider.take(name, request('run-1'), AbortSignal.abort())).rejects.toMatchObject({
        code: 'ABORTED',
        uncertain: false,
      })
      expect(await ownerOf(name)).toBeNull()
    })

    it('notifies subscribers of releases until they unsubscribe, where the store can', async () => {
      const { listen } = provider
      if (listen === null) {
        expect(['mysql', 'dynamodb']).toContain(provider.kind)
        return
      }
      const name = fresh()
      const lock = await taken(name, 'run-1')
      let told = 0
      const stop = await listen.call(provider, name, () => told++, never)
      let others = 0
      const stopOthers = await listen.call(provider, `${name}-other`, () => others++, never)
      await place.second.release(name, proof('run-1', lock), never)
      await expect.poll(() => told).toBeGreaterThan(0)
      expect(others).toBe(0)
      stop()
      const before = told
      const again = await taken(name, 'run-1')
      // Told after whatever was still under way to the one that has stopped.
      let toldLater = 0
      const stopLater = await listen.call(provider, name, () => toldLater++, never)
      await place.second.release(name, proof('run-1', again), never)
      await expect.poll(() => toldLater).toBeGreaterThan(0)
      expect(told).toBe(before)
      stopLater()
      stopOthers()
    })

    it('can be closed twice', async () => {
      const other = await open()
      await other.provider.setup(never)
      await other.provider.take(fresh(), request('run-1'), never)
      await other.provider.close()
      await other.provider.close()
      await other.close()
    })
  })
}
