import { AddressError, parseAddress, type StoreAddress, showAddress } from '../../../shared/address.ts'
import type { StoreKind } from '../../../shared/locks.ts'

/** What a form holds of an address: texts as they are typed, whole or not. */
export type AddressFields = {
  readonly kind: StoreKind
  readonly mode: 'standalone' | 'sentinel' | 'cluster'
  readonly hosts: string
  readonly group: string
  readonly db: string
  readonly tls: boolean
  readonly username: string
  readonly match: string
  readonly database: string
  readonly table: string
  readonly region: string
  readonly endpoint: string
  readonly profile: string
  readonly name: string
  readonly format: string
}

export const NEW_FIELDS: AddressFields = {
  kind: 'redis',
  mode: 'standalone',
  hosts: '127.0.0.1:6379',
  group: '',
  db: '0',
  tls: false,
  username: '',
  match: '',
  database: '',
  table: '',
  region: 'eu-west-1',
  endpoint: '',
  profile: '',
  name: 'practice',
  format: '',
}

const USUAL_HOST: Record<StoreKind, string> = {
  redis: '127.0.0.1:6379',
  mysql: '127.0.0.1:3306',
  dynamodb: '',
  memory: '',
}

/** Another provider: what it shares with the one before stays, its usual host comes. */
export function withKind(fields: AddressFields, kind: StoreKind): AddressFields {
  const untouched = fields.hosts === '' || Object.values(USUAL_HOST).includes(fields.hosts)
  return { ...fields, kind, format: '', hosts: untouched ? USUAL_HOST[kind] : fields.hosts }
}

/** The address that the fields spell; it may not be a valid one yet. */
export function spell(fields: AddressFields): string {
  const { kind, mode, hosts, group, db, tls, username, match, database, table } = fields
  const user = username === '' ? '' : `${encodeURIComponent(username)}@`
  const host = hosts.replace(/\s/g, '')
  switch (kind) {
    case 'redis': {
      const scheme = `redis${tls ? 's' : ''}${mode === 'standalone' ? '' : `+${mode}`}`
      const path =
        mode === 'sentinel' ? `/${encodeURIComponent(group)}/${db}` : mode === 'cluster' ? '' : `/${db}`
      return `${scheme}://${user}${host}${path}${options({ match, format: fields.format })}`
    }
    case 'mysql':
      return `mysql://${user}${host}/${encodeURIComponent(database)}${options({ table, format: fields.format, tls: tls ? 'true' : '' })}`
    case 'dynamodb': {
      const { endpoint, profile, format } = fields
      return `dynamodb://${user}${fields.region}/${encodeURIComponent(table)}${options({ endpoint, profile, format })}`
    }
    case 'memory':
      return `memory:${fields.name}${options({ format: fields.format })}`
  }
}

function options(all: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(all).filter(([, value]) => value !== '')
  return pairs.length === 0
    ? ''
    : `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

export type Parsed =
  | {
      readonly ok: true
      readonly fields: AddressFields
      readonly address: string
      readonly password: string | null
    }
  | { readonly ok: false; readonly message: string }

/** A pasted address as fields, and its password apart from it: the password is shown nowhere. */
export function understand(text: string): Parsed {
  try {
    const address = parseAddress(text.trim())
    return { ok: true, fields: fieldsOf(address), address: showAddress(address), password: address.password }
  } catch (error) {
    if (error instanceof AddressError) return { ok: false, message: error.message }
    throw error
  }
}

function fieldsOf(address: StoreAddress): AddressFields {
  const common = {
    ...NEW_FIELDS,
    kind: address.kind,
    username: address.username ?? '',
    format: address.format ?? '',
  }
  switch (address.kind) {
    case 'redis':
      return {
        ...common,
        mode: address.mode,
        hosts: address.hosts.map(hostText).join(', '),
        group: address.group ?? '',
        db: String(address.db),
        tls: address.tls,
        match: address.match ?? '',
      }
    case 'mysql':
      return {
        ...common,
        hosts: hostText(address),
        database: address.database,
        table: address.table ?? '',
        tls: address.tls,
      }
    case 'dynamodb':
      return {
        ...common,
        hosts: '',
        region: address.region,
        table: address.table,
        endpoint: address.endpoint ?? '',
        profile: address.profile ?? '',
      }
    case 'memory':
      return { ...common, hosts: '', name: address.name }
  }
}

function hostText({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
