/**
 * A kind of store described as data: all that the screen, the command line and the rules in this folder need to know about it.
 * The code of a kind is in its folder under `electron/core/stores`; docs/adding-a-store.md explains how to write one.
 */
export type KindDescription = {
  readonly id: string
  readonly label: string
  /** Other names in a filter. */
  readonly aliases: readonly string[]
  readonly address: {
    /** The first one is named in errors. */
    readonly schemes: readonly [AddressScheme, ...AddressScheme[]]
    readonly options: readonly AddressField[]
    /** The fields that make an account on a server, beside the user's name: its password fits where they are the same. */
    readonly account: readonly string[]
    /** The fields that make a place, beside its servers. An address without one of `narrows` means all of them. */
    readonly place: { readonly same: readonly string[]; readonly narrows: readonly string[] }
  }
  readonly form: {
    readonly inputs: readonly FormInput[]
    /** What a new address starts from. */
    readonly initial: Readonly<Record<string, string>>
    /** The label of the password; null for a kind without one. */
    readonly password: string | null
  }
  /** Its locks live in the process that opens the store. */
  readonly isEmbedded: boolean
  /** Releases a second when the operator names no rate: a server in trouble should not notice. */
  readonly releasesPerSecond: number
  /** The rest between two readings: with a screen, without one, and for a screen that waits for one change. */
  readonly rests: { readonly watchedMs: number; readonly unwatchedMs: number; readonly urgentMs: number }
  /** What one request is called, and several. */
  readonly requests: readonly [one: string, several: string]
  /** The tool that can do the same by hand. */
  readonly tool: string
  /** The variables in which applications usually keep its place. */
  readonly variables: readonly string[]
  readonly advantages: readonly string[]
  readonly considerations: readonly string[]
  /** What becomes of a record that has expired. */
  readonly afterExpiry: string
  /** What a switch to this kind means. */
  readonly arrival: {
    /** `{perDay}` is the number of its requests a day. Null where they do not matter. */
    readonly load: string | null
    /** What changes about expired records. */
    readonly leftovers: string | null
    /** How a lock without an expiry ends there. */
    readonly ends: string
    /** What follows from a clock that differs. */
    readonly clock: string
  }
}

export type AddressScheme = {
  /** `redis://`, or `memory:` for an address without servers, accounts and a path. */
  readonly prefix: string
  /** The fields that this prefix decides. */
  readonly sets: Readonly<Record<string, string | boolean>>
  /** Servers as `host:port`, read into `host` and `port` or into `hosts`; or one field, such as a region. */
  readonly at:
    | { readonly is: 'host'; readonly port: number }
    /** `onlyOne` is the error for a second server. */
    | { readonly is: 'hosts'; readonly port: number; readonly onlyOne?: string }
    | { readonly is: 'field'; readonly field: AddressField }
  readonly path: readonly AddressField[]
  /** The last thing in the path, for the error about what follows it. */
  readonly pathEnd: string
  /** What people call such a store before they name it: `{field}`, `{host}`, and `{/field}` unless it is its preset. */
  readonly shortName: string
}

/** One text in an address. */
export type AddressField = {
  readonly name: string
  /** Text when left out. */
  readonly type?: 'number' | 'flag' | 'endpoint'
  /** What the whole text must match; `problem` is the error for a text that is missing or does not. */
  readonly pattern?: string
  readonly problem?: string
  /** What a path that leaves it out means. */
  readonly preset?: string
  /** Understood in an address, but never printed. */
  readonly isHidden?: boolean
}

export type FormInput = {
  /** A field of the address, `hosts` or `username`. */
  readonly field: string
  readonly label: string
  readonly hint?: string
  /** Instead of free text. */
  readonly choices?: 'on or off' | readonly (readonly [value: string, label: string])[]
  /** Shown only while another field has one of these values. */
  readonly when?: { readonly field: string; readonly is: readonly string[] }
}

const known = new Map<string, KindDescription>()

/** Makes kinds known to everything in this process, in this order. Core does it for its own; a screen for those of its core. */
export function addKinds(kinds: readonly KindDescription[]): void {
  for (const kind of kinds) known.set(kind.id, kind)
}

export function allKinds(): readonly KindDescription[] {
  return [...known.values()]
}

export function isKind(id: string): boolean {
  return known.has(id)
}

export function kindOf(id: string): KindDescription {
  const kind = known.get(id)
  if (!kind) throw new Error(`Unknown kind of store "${id}"`)
  return kind
}
