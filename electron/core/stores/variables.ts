import { parseAddress, type StoreAddress } from '../../../shared/address.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Reads variables and records which of them were set. */
export class Variables {
  readonly used: string[] = []
  constructor(readonly env: Env) {}

  /** The first that is set, untrimmed: a password may begin with a space. */
  exact(...names: readonly string[]): string | null {
    for (const name of names) {
      const value = this.env[name]
      if (value === undefined || value === '') continue
      this.used.push(name)
      return value
    }
    return null
  }

  text(...names: readonly string[]): string | null {
    return this.exact(...names.filter(name => this.env[name]?.trim()))?.trim() ?? null
  }

  host(...names: readonly string[]): string | null {
    return this.text(...names)?.replace(/^\[(.*)\]$/, '$1') ?? null
  }

  /** NaN, which makes the address invalid, for anything but a whole number. */
  number(otherwise: number, ...names: readonly string[]): number {
    const text = this.text(...names)
    if (text === null) return otherwise
    return /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  }

  /** Null for a value that means neither yes nor no. */
  flag(name: string): boolean | null {
    const text = this.text(name)?.toLowerCase() ?? 'no'
    if (['1', 'true', 'yes', 'on'].includes(text)) return true
    return ['0', 'false', 'no', 'off'].includes(text) ? false : null
  }
}

/** The address in the first of these variables, if it has this scheme. `options` are those of the application's own client. */
export function addressByUrl(
  variables: Variables,
  scheme: RegExp,
  ...names: readonly string[]
): { readonly address: StoreAddress; readonly options: string } | null {
  const text = variables.text(...names)
  if (text === null || !scheme.test(text)) return null
  const [place = '', options = ''] = text.split('?', 2)
  const address = parseAddress(place)
  return { address: { ...address, password: address.password || null }, options }
}
