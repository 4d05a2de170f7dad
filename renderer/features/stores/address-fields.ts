import {
  AddressError,
  type AddressTexts,
  parseAddress,
  printAddress,
  showAddress,
  textsOf,
} from '../../../shared/address.ts'
import { allKinds, kindOf } from '../../../shared/kinds.ts'

/** The texts of the form, possibly incomplete. */
export type AddressFields = { readonly kind: string; readonly texts: AddressTexts }

export function newFields(): AddressFields {
  const [first] = allKinds()
  if (!first) throw new Error('No kind of store is known yet')
  return { kind: first.id, texts: first.form.initial }
}

/** Fields that both kinds have stay; a default host becomes the default of the other kind. */
export function withKind({ texts }: AddressFields, kind: string): AddressFields {
  const usual = allKinds().map(({ form }) => form.initial['hosts'] ?? '')
  const { initial } = kindOf(kind).form
  const hosts = usual.includes(texts['hosts'] ?? '') ? (initial['hosts'] ?? '') : (texts['hosts'] ?? '')
  return { kind, texts: { ...initial, ...texts, hosts, format: '' } }
}

/** The address of the fields, valid or not. */
export function spell({ kind, texts }: AddressFields): string {
  return printAddress(kind, texts)
}

/** A pasted address as fields, without its password, which is never shown. */
export function understand(text: string) {
  try {
    const address = parseAddress(text.trim())
    const fields: AddressFields = { kind: address.kind, texts: textsOf(address) }
    return { ok: true, fields, address: showAddress(address), password: address.password } as const
  } catch (error) {
    if (error instanceof AddressError) return { ok: false, message: error.message } as const
    throw error
  }
}
