import { expect, it } from 'vitest'
import { StoreError } from '../../../electron/core/lib/errors.ts'
import type { AcquireRequest, Grant, OwnerProof, Provider } from '../../../electron/core/locks/provider.ts'

const never = new AbortController().signal
const MINUTE = 60_000
const request = (owner: string): AcquireRequest => ({ owner, ttlMs: MINUTE, metadata: null })

type Acts = {
  readonly taken: (name: string, owner: string, more?: Partial<AcquireRequest>) => Promise<Grant>
  readonly proof: (owner: string, taken: Grant) => OwnerProof
  readonly ownerOf: (name: string) => Promise<string | null>
  readonly fresh: () => string
}

/** The part of the suite that is about what locks and their owners may be called. */
export function nameTests(
  places: () => { readonly provider: Provider; readonly second: Provider },
  { taken, proof, ownerOf, fresh }: Acts,
  { tooLong, nul }: { readonly tooLong: string | null; readonly nul: boolean },
): void {
  const provider = () => places().provider
  const second = () => places().second

  const HOSTILE = [
    'a"b',
    "a'; DROP TABLE locks; --",
    'back\\slash\\',
    'new\nline\r\n',
    'tab\tand space ',
    '*?[a-z]%_',
    '{braces}',
    'ünïcödé 锁 🔒',
    'a:b:c',
    '__proto__',
    '\u202Ebidi\u0007',
  ]
  it.each(HOSTILE)('keeps a lock named %j apart from all others', async odd => {
    const name = `suite:${odd}`
    const lock = await taken(name, 'run-1')
    expect(provider().nameOf(provider().keyOf(name))).toBe(name)
    expect(await second().take(name, request('run-2'), never)).toMatchObject({
      is: 'held',
      holder: { owner: 'run-1' },
    })
    for (const other of HOSTILE.filter(each => each !== odd))
      expect(await ownerOf(`suite:${other}`), other).toBeNull()
    expect(await provider().release(name, proof('run-1', lock), never)).toEqual({ is: 'released' })
  })

  it.each(['Run "1"', 'run\n2', 'läuft 🔒', "'; --", '\\', '*'])(
    'knows an owner called %j again',
    async owner => {
      const name = fresh()
      const lock = await taken(name, owner, {
        metadata: { locked_by: '"ana"\n', usuario: "o'neil", count: 3 },
      })
      expect(await ownerOf(name)).toBe(owner)
      expect(await provider().extend(name, proof(owner, lock), MINUTE, never)).toMatchObject({
        is: 'extended',
      })
      expect(await provider().release(name, proof(owner, lock), never)).toEqual({ is: 'released' })
    },
  )

  it('distinguishes names by case, accents and trailing spaces', async () => {
    const base = fresh()
    for (const name of [`${base}-straße`, `${base}-strasse`, `${base}-STRASSE`, `${base}-strasse `])
      expect(await provider().take(name, request('run-1'), never), name).toMatchObject({ is: 'taken' })
  })

  it(nul ? 'carries a name with a NUL' : 'refuses a name with a NUL', async () => {
    const name = `${fresh()}\0tail`
    if (nul) await taken(name, 'run-1')
    else
      await expect(provider().take(name, request('run-1'), never)).rejects.toMatchObject({
        code: 'BAD_INPUT',
      })
    expect(await ownerOf(name.slice(0, name.indexOf('\0')))).toBeNull()
  })

  it('refuses an empty name', () => {
    expect(() => provider().keyOf('')).toThrow(StoreError)
  })

  if (tooLong !== null)
    it('refuses a name that is too long instead of truncating it', async () => {
      const name = tooLong
      await expect(provider().take(name, request('run-1'), never)).rejects.toMatchObject({
        code: 'BAD_INPUT',
      })
      expect(() => provider().keyOf(name)).toThrow(StoreError)
    })

  if (tooLong === null)
    it('keeps a long name whole', async () => {
      const name = `${fresh()}-${'x'.repeat(4000)}`
      await taken(`${name}1`, 'run-1')
      expect(await ownerOf(`${name}2`)).toBeNull()
      expect(await ownerOf(`${name}1`)).toBe('run-1')
    })
}
