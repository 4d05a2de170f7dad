import { parseAddress, type StoreAddress } from '../../../../shared/address.ts'
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
const formats = new Map<string, FormatInfo>()

/** Adds a kind to this process: its addresses, consoles, commands and their screens. */
export function registerKind(kind: StoreKind): void {
  kinds.set(kind.description.id, kind)
  for (const { info } of kind.formats) formats.set(info.id, info)
  addKinds([kind.description])
}

BUILT_IN_KINDS.forEach(registerKind)

export function registeredKinds(): readonly StoreKind[] {
  return [...kinds.values()]
}

/** Every known format. Formats are data: listing them loads no client. */
export function allFormats(): readonly FormatInfo[] {
  return registeredKinds().flatMap(({ formats }) => formats.map(({ info }) => info))
}

export function formatInfo(id: string): FormatInfo | undefined {
  return formats.get(id)
}

export function formatsOf(kindId: string): readonly KindFormat[] {
  return kinds.get(kindId)?.formats ?? []
}

/** Creates the store of an address. Contacts no server. */
export async function openStore(text: string, password: string | undefined): Promise<LockStore> {
  const address = parseAddress(text)
  const kind = kinds.get(address.kind)
  // The kind was added by its description alone.
  if (!kind) throw new Error(`No code is registered for stores of the kind "${address.kind}"`)
  return kind.open({ ...address, password: address.password ?? password ?? null })
}

/** Whether stores of a kind are opened in rooms. A room knows the built-in kinds; the embedded one has no server. */
export function needsRoom({ kind }: StoreAddress): boolean {
  return BUILT_IN_KINDS.some(({ description }) => description.id === kind && !description.isEmbedded)
}
