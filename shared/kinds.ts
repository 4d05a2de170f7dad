/**
 * A kind of store as data: everything that the screen, the command line and the rules in this folder need to know about it.
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
    /** Without a user name a password is not used. */
    readonly passwordNeedsUser?: true
    /** The fields that make a place. */
    readonly place: {
      /** Beside its hosts, which server it is. */
      readonly server: readonly string[]
      /** The fields that may lead to another server of the same name, which its ids then tell. */
      readonly account?: readonly string[]
      /** The endpoint of an address that names none, such as `https://{region}.example`. */
      readonly endpoint?: string
      /** Where on the server. An address without one of `narrows` means all of them. */
      readonly same: readonly string[]
      readonly narrows: readonly string[]
      /** Some servers of this kind take `Shop` and `shop` for the same. */
      readonly ignoresCase?: boolean
    }
  }
  readonly form: {
    readonly inputs: readonly FormInput[]
    /** The values of a new address. */
    readonly initial: Readonly<Record<string, string>>
    /** The label of the password; null for a kind without one. */
    readonly password: string | null
  }
  /** Its locks live in the process that opens the store. */
  readonly isEmbedded: boolean
  /** Default releases per second: a server in trouble should not notice them. */
  readonly releasesPerSecond: number
  /** The rest between two readings: with a screen, without one, and for a screen that waits for one change. */
  readonly rests: { readonly watchedMs: number; readonly unwatchedMs: number; readonly urgentMs: number }
  /** The words for one request and for several. */
  readonly requests: readonly [one: string, several: string]
  /** The tool of the equivalent command. */
  readonly tool: string
  /** The environment variables in which applications usually keep its place. */
  readonly variables: readonly string[]
  readonly advantages: readonly string[]
  readonly considerations: readonly string[]
  /** What happens to an expired record. */
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
  readonly sets?: Readonly<Record<string, string | boolean>>
  /** Servers as `host:port`, read into `host` and `port` or into `hosts`; or one field, such as a region. */
  readonly at:
    | { readonly is: 'host'; readonly port: number }
    /** `onlyOne` is the error for a second server. */
    | { readonly is: 'hosts'; readonly port: number; readonly onlyOne?: string }
    | { readonly is: 'field'; readonly field: AddressField }
  readonly path: readonly AddressField[]
  /** The last thing in the path, for the error about what follows it. */
  readonly pathEnd: string
  /** The suggested name of such a store: `{field}`, `{host}`, and `{/field}` unless it has its preset value. */
  readonly shortName: string
}

/** One text in an address. */
export type AddressField = {
  readonly name: string
  /** Text when left out. */
  readonly type?: 'number' | 'flag' | 'endpoint' | 'hosts and networks'
  /** What the whole text must match; `problem` is the error for a text that is missing or does not. */
  readonly pattern?: string
  readonly problem?: string
  /** The value if the path leaves it out. */
  readonly preset?: string
  /** The flag without which it would mean nothing, and the error for an address without the flag. */
  readonly needs?: { readonly flag: string; readonly problem: string }
  /** Parsed in an address, but never printed. */
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

/** Adds kinds to this process, in this order. The core adds its own; a screen those of its core. */
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
