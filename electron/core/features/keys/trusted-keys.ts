import { z } from 'zod'
import {
  fingerprintOf,
  type InstallationKeys,
  type TrustedKey,
  trustedKeySchema,
} from '../../../../shared/keys.ts'
import { shownName } from '../../../../shared/safe-text.ts'
import { codeOf } from '../../files/disk.ts'
import { InstallationKey, isPublicKey, isSignedBy, type PublicSigner } from '../../files/installation-key.ts'
import { SharedFile } from '../../files/shared-file.ts'
import { StoreError } from '../../lib/errors.ts'
import type { HandlersOf } from '../../lib/handler.ts'

const PURPOSE = 'plan'

const fileSchema = z.object({ version: z.literal(1), keys: z.array(trustedKeySchema) })
type TrustedKeysFile = z.infer<typeof fileSchema>

/** The key that this installation signs plans with, and the keys of others whose plans it accepts. */
export class TrustedKeys {
  readonly #own: InstallationKey
  readonly #file: SharedFile<TrustedKeysFile>

  constructor(dataFolder: string) {
    this.#own = new InstallationKey(dataFolder)
    this.#file = new SharedFile({
      folder: dataFolder,
      name: 'trusted-keys',
      what: 'The list of trusted keys',
      schema: fileSchema,
      empty: { version: 1, keys: [] },
    })
  }

  readonly handlers: HandlersOf<'keys'> = {
    'keys.list': () => this.list(),
    'keys.trust': ({ name, key }) => ({
      facts: { name, key },
      mustRecord: true,
      apply: () => this.#trust(name, key),
    }),
    'keys.renew': async () => ({
      facts: { replaces: (await this.list()).own },
      mustRecord: true,
      apply: async () => {
        await this.#own.replace().catch(failToReplace)
        return { key: (await this.signer()).publicKey }
      },
      outcome: ({ key }) => ({ outcome: 'done', key }),
    }),
    'keys.forget': ({ name }) => ({ facts: { name }, apply: () => this.#forget(name) }),
  }

  async list(): Promise<InstallationKeys> {
    await this.#file.read()
    // Plans of others can be read where nothing can be written, such as a key.
    const own = await this.signer().catch(error => (error instanceof StoreError ? error : null))
    const trusted = { trusted: this.#file.value.keys, notice: this.#file.notice }
    if (own instanceof StoreError) return { own: null, problem: own.message, ...trusted }
    return { own: own?.publicKey ?? null, problem: null, ...trusted }
  }

  signer(): Promise<PublicSigner> {
    return this.#own.publicSigner(PURPOSE)
  }

  /** The names of those who have signed a plan, null for this installation. Refuses a key that is not trusted. */
  async namesOf(keys: Iterable<string>): Promise<(string | null)[]> {
    const { own, problem, trusted, notice } = await this.list()
    return [...keys].map(key => {
      if (key === own) return null
      const known = trusted.find(each => each.key === key)
      // It may be our own.
      if (!known && problem !== null) throw new StoreError('REFUSED', problem)
      if (!known) throw untrusted(key, notice)
      return known.name
    })
  }

  async #trust(name: string, key: string): Promise<null> {
    if (!isPublicKey(key))
      throw new StoreError('BAD_INPUT', 'This is not the key of an installation: nothing was changed')
    if (key === (await this.list()).own) throw refused('This is the key of this installation')
    await this.#file.update(file => {
      const known = file.keys.find(each => each.key === key)
      if (known && known.name !== name) throw refused(`This key is trusted as ${shownName(known.name)}`)
      if (known) return file
      if (named(file, name)) throw refused(`${shownName(name)} has another key: forget that one first`)
      return { ...file, keys: [...file.keys, { name, key, since: Date.now() }] }
    })
    return null
  }

  async #forget(name: string): Promise<null> {
    await this.#file.update(file => {
      if (!named(file, name)) throw new StoreError('NOT_FOUND', `No key is trusted as ${shownName(name)}`)
      return { ...file, keys: file.keys.filter(each => each.name !== name) }
    })
    return null
  }
}

function failToReplace(error: unknown): never {
  throw new StoreError('REFUSED', `The key cannot be replaced (${codeOf(error)})`, { cause: error })
}

function named({ keys }: TrustedKeysFile, name: string): TrustedKey | undefined {
  return keys.find(each => each.name === name)
}

function refused(why: string): StoreError {
  return new StoreError('REFUSED', `${why}: nothing was changed`)
}

function untrusted(key: string, notice: string | null): StoreError {
  const what = `This plan was made or changed by another installation of Lockkeeper, with the key ${fingerprintOf(key)}…, which is not trusted here. It is not used`
  const advice = `Run "lockkeeper keys" there, and "lockkeeper keys --trust NAME KEY" here with the key that it prints`
  return new StoreError('REFUSED', `${notice === null ? '' : `${notice} `}${what}. ${advice}`)
}

/** Whether the owner of a key has signed this state of a plan. */
export function hasSigned(key: string, state: string, signature: string): boolean {
  return isSignedBy(key, PURPOSE, state, signature)
}
