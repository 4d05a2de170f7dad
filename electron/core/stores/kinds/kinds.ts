import { parseAddress } from '../../../../shared/address.ts'
import { addKinds } from '../../../../shared/kinds.ts'
import type { FormatInfo } from '../../../../shared/locks.ts'
import { dynamodbKind } from '../dynamodb/kind.ts'
import type { KindFormat, StoreKind } from '../kind.ts'
import { memoryKind } from '../memory/kind.ts'
import { mysqlKind } from '../mysql/kind.ts'
import { redisKind } from '../redis/kind.ts'
import type { LockStore } from '../types.ts'

/** The kinds that Lockkeeper ships, in the order in which it names them. */
export const BUILT_IN_KINDS: readonly StoreKind[] = [redisKind, mysqlKind, dynamodbKind, memoryKind]

const kinds = new Map<string, StoreKind>()
const formats = new Map<string, KindFormat>()

/** Makes a kind known to this process: to its addresses, its consoles, its commands and, through them, to their screens. */
export function registerKind(kind: StoreKind): void {
  kinds.set(kind.description.id, kind)
  for (const format of kind.formats) formats.set(format.info.id, format)
  addKinds([kind.description])
}

BUILT_IN_KINDS.forEach(registerKind)

export function registeredKinds(): readonly StoreKind[] {
  return [...kinds.values()]
}

/** Every format that is understood. Formats are data: listing them loads no client. */
export function allFormats(): readonly FormatInfo[] {
  return [...formats.values()].map(({ info }) => info)
}

export function formatInfo(id: string): FormatInfo | undefined {
  return formats.get(id)?.info
}

export function formatsOf(kindId: string): readonly KindFormat[] {
  return kinds.get(kindId)?.formats ?? []
}

/** Makes the store that an address names. Nothing is contacted yet. */
export async function openStore(text: string, password: string | undefined): Promise<LockStore> {
  const address = parseAddress(text)
  const kind = kinds.get(address.kind)
  // Only a kind that was described without being registered here.
  if (!kind) throw new Error(`No code is registered for stores of the kind "${address.kind}"`)
  return kind.open({ ...address, password: address.password ?? password ?? null })
}
