import { type AddressField, type AddressScheme, allKinds, type KindDescription, kindOf } from './kinds.ts'

export type HostPort = { readonly host: string; readonly port: number }

export type AddressValue = string | number | boolean | null | readonly HostPort[]

/** The kind describes its own fields. */
export type StoreAddress = {
  readonly kind: string
  readonly format: string | null
  readonly username: string | null
  readonly password: string | null
  readonly [field: string]: AddressValue
}

/** An address as texts: the content of a form, complete or not. `hosts` are its servers, and a flag is `true` or empty. */
export type AddressTexts = Readonly<Record<string, string>>

/**
 * What is wrong with an address, in one sentence. The sentence repeats nothing that was typed: any part of a malformed address,
 * even a port or an option's name, may be a piece of a password.
 */
export class AddressError extends Error {}

export function parseAddress(text: string): StoreAddress {
  // Half a surrogate pair has no UTF-8, so that no address can contain one.
  if (/\p{Cs}/u.test(text)) throw new AddressError('The address is not valid Unicode text')
  const lower = text.slice(0, text.indexOf(':') + 3).toLowerCase()
  const forms = allKinds().flatMap(kind => kind.address.schemes.map(scheme => ({ kind, scheme })))
  const form = forms.find(({ scheme }) => lower.startsWith(scheme.prefix))
  if (form) return parse(text.slice(form.scheme.prefix.length), form.kind, form.scheme)
  const unknown = /^([a-z][a-z0-9+.-]*):\/\//.exec(lower)?.[0]
  if (unknown === undefined) {
    const usual = allKinds().map(kind => kind.address.schemes[0].prefix)
    throw new AddressError(`A store address starts with ${usual.slice(0, -1).join(', ')} or ${usual.at(-1)}`)
  }
  const known = forms.map(({ scheme }) => scheme.prefix).join(', ')
  throw new AddressError(`Unknown kind of store "${unknown}"; known are ${known}`)
}

export function isAddress(text: string): boolean {
  try {
    parseAddress(text)
    return true
  } catch {
    return false
  }
}

function parse(rest: string, kind: KindDescription, scheme: AddressScheme): StoreAddress {
  const { username, password, authority, path, search } = split(rest, scheme)
  const options = parseOptions(search, kind)
  const values: Record<string, AddressValue> = {}
  // Fields of the other forms of the address are null.
  for (const { path } of kind.address.schemes) for (const { name } of path) values[name] = null
  const { at } = scheme
  if (at.is === 'field') values[at.field.name] = readField(at.field, decode(authority))
  for (const field of scheme.path) values[field.name] = readField(field, path.shift())
  if (path.some(part => part !== ''))
    throw new AddressError(`There is something after the ${scheme.pathEnd} in the path`)
  for (const field of kind.address.options) values[field.name] = readField(field, options[field.name])
  if (at.is === 'host') Object.assign(values, parseHost(authority, at.port))
  if (at.is === 'hosts') {
    const hosts = authority.split(',').map(host => parseHost(host, at.port))
    if (hosts.length > 1 && at.onlyOne !== undefined) throw new AddressError(at.onlyOne)
    values['hosts'] = hosts
  }
  Object.assign(values, scheme.sets)
  for (const { name, needs } of kind.address.options)
    if (needs && values[name] !== null && values[needs.flag] !== true) throw new AddressError(needs.problem)
  return { format: null, ...values, kind: kind.id, username, password }
}

function readField(field: AddressField, given: string | undefined): AddressValue {
  const text = given || field.preset
  const fits = text === undefined || field.pattern === undefined || new RegExp(field.pattern).test(text)
  if (field.problem !== undefined && (text === undefined || !fits)) throw new AddressError(field.problem)
  if (field.type === 'flag') {
    if (text !== undefined && text !== 'true' && text !== 'false')
      throw new AddressError(`${field.name} must be true or false`)
    return text === 'true'
  }
  if (text === undefined) return null
  if (field.type === 'endpoint') checkEndpoint(text)
  if (field.type === 'hosts and networks' && !text.split(',').every(isHostOrNetwork))
    throw new AddressError(
      `${field.name} must list hosts without ports, networks and domains: redis-2,10.1.0.0/16,.example.com`,
    )
  return field.type === 'number' ? Number(text) : text
}

/** The address without its password, for the screen, logs and files. */
export function showAddress(address: StoreAddress): string {
  return printAddress(address.kind, textsOf(address))
}

/** The address with its password, for the environment of another process of ours. */
export function fullAddress(address: StoreAddress): string {
  return printAddress(address.kind, textsOf(address), address.password)
}

/** The address of these texts; it may not be valid yet. */
export function printAddress(kindId: string, texts: AddressTexts, password: string | null = null): string {
  const kind = kindOf(kindId)
  const { prefix, at, path } = schemeOf(kind, texts)
  const text = (name: string) => texts[name] ?? ''
  const secret = !password ? '' : `:${encodeURIComponent(password)}`
  const account = encodeURIComponent(text('username')) + secret
  const user = account === '' ? '' : `${account}@`
  const authority = at.is === 'field' ? readable(text(at.field.name)) : text('hosts').replace(/\s/g, '')
  const parts = path.filter(each => !each.isHidden).map(({ name }) => `/${encodeURIComponent(text(name))}`)
  const options = kind.address.options
    .filter(({ name, needs }) => text(name) !== '' && (!needs || text(needs.flag) !== ''))
    .map(({ name }) => `${name}=${readable(text(name))}`)
  const query = options.length === 0 ? '' : `?${options.join('&')}`
  return `${prefix}${user}${authority}${parts.join('')}${query}`
}

/** `:`, `/` and `,` are common in patterns, endpoints and lists and need no escape in a query. */
function readable(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|2F|2C)/g, decodeURIComponent)
}

export function textsOf({ kind, password: _, ...address }: StoreAddress): AddressTexts {
  const texts = Object.entries(address).map(([name, value]) => [name, textOf(value ?? null)])
  const hosts = serversOf({ kind, ...address }).map(hostPort)
  return { ...Object.fromEntries(texts), hosts: hosts.join(',') }
}

function textOf(value: AddressValue): string {
  return value === null || value === false ? '' : String(value)
}

export function schemeOf({ address }: KindDescription, texts: AddressTexts): AddressScheme {
  const isSet = ({ sets = {} }: AddressScheme) =>
    Object.entries(sets).every(([name, value]) => (texts[name] ?? '') === textOf(value))
  return address.schemes.find(isSet) ?? address.schemes[0]
}

export function serversOf({
  hosts,
  host,
  port,
}: Readonly<Record<string, AddressValue>>): readonly HostPort[] {
  if (typeof host === 'string' && typeof port === 'number') return [{ host, port }]
  return typeof hosts === 'object' && hosts !== null ? hosts : []
}

/**
 * The suggested name of a store. It includes an unusual port: two servers on one host would otherwise have the same name, which
 * operators type to confirm.
 */
export function shortName(address: StoreAddress): string {
  const scheme = schemeOf(kindOf(address.kind), textsOf(address))
  return scheme.shortName.replace(/\{(\/?)(\w+)\}/g, (_, slash: string, name: string) => {
    if (name === 'host') return shortHost(serversOf(address)[0], scheme.at)
    const text = textOf(address[name] ?? null)
    const { preset } = scheme.path.find(field => field.name === name) ?? {}
    return slash !== '' && text === preset ? '' : `${slash}${text}`
  })
}

function shortHost(server: HostPort | undefined, at: AddressScheme['at']): string {
  if (!server) return ''
  return at.is !== 'field' && server.port === at.port ? server.host : hostPort(server)
}

/** Whether the password of one address may be used for another: the same account on the same server. */
export function passwordFits(known: StoreAddress, wanted: StoreAddress): boolean {
  return accountOf(known) === accountOf(wanted)
}

/**
 * The account of an address and all that decides where and how its password is sent. An option that a later version adds changes
 * it only where the option is used.
 */
export function accountOf(address: StoreAddress): string {
  const { account } = kindOf(address.kind).address
  const facts = ['kind', 'username', ...account].map(name => [name, address[name]] as const)
  return JSON.stringify(facts.filter(([, value]) => value !== null && value !== false))
}

/** Whether a password of this address would be sent to its server. */
export function takesPassword({ kind, username }: StoreAddress): boolean {
  const { form, address } = kindOf(kind)
  return form.password !== null && (username !== null || address.passwordNeedsUser !== true)
}

/**
 * Whether an argument is an address with a password, valid or not and of any kind. The password is before the first / or ?, unless
 * it contains one itself: then what looks like a port is none. scripts/start.mjs has a copy, because it runs before the build.
 */
export function hasPassword(argument: string): boolean {
  return ADDRESS_WITH_PASSWORD.test(argument)
}

const ADDRESS_WITH_PASSWORD =
  /^(?:--[\w-]+=)?[\s"'`]*[a-z][\w+.-]*:\/\/(?:[^/?]*:[^/?]*@|[^/?]*:(?!\d*[/?])[^:/?\]]*[/?].*@)/is

export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return /(^|\.)localhost$|^::1$|^127(\.\d+){3}$/.test(name)
}

function split(rest: string, scheme: AddressScheme) {
  const [beforeQuery, search] = cut(rest, '?')
  if (!scheme.prefix.endsWith('//'))
    return { username: null, password: null, authority: beforeQuery, path: [], search }
  const slash = beforeQuery.indexOf('/')
  // An @ after the servers belongs to an unescaped password, the rest of which would be shown as a host or option.
  if (search.includes('@') || (slash >= 0 && beforeQuery.includes('@', slash))) {
    throw new AddressError('Write / as %2F, ? as %3F and @ as %40 inside a user name, password or option')
  }
  const [userAndServers, ...path] = beforeQuery.split('/')
  const account = userAndServers ?? ''
  const at = account.lastIndexOf('@')
  const userinfo = account.slice(0, Math.max(0, at))
  const [user, secret] = cut(userinfo, ':')
  return {
    username: user === '' ? null : decode(user),
    password: userinfo.includes(':') ? decode(secret) : null,
    authority: account.slice(at + 1),
    path: path.map(decode),
    search,
  }
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function parseOptions(search: string, { id, address }: KindDescription): Record<string, string> {
  const options: Record<string, string> = {}
  const known = address.options.map(({ name }) => name)
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const [name, value] = cut(pair, '=')
    if (!known.includes(name)) {
      throw new AddressError(`Unknown option in the address; ${id} takes ${known.join(', ')}`)
    }
    // Neither has a default: an endpoint that a script left empty would otherwise mean the real AWS.
    if (value === '') throw new AddressError(`The option ${name} has no value`)
    if (options[name] !== undefined) throw new AddressError(`The option ${name} is given twice`)
    options[name] = decode(value)
  }
  return options
}

function parseHost(text: string, defaultPort: number): HostPort {
  // Letters of every script, because hosts may be internationalized; nothing with a meaning to a terminal or in a URL.
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([\p{L}\p{N}\p{M}._-]+))(?::(.*))?$/su.exec(text)
  const host = parts?.[1] ?? parts?.[2]
  if (host === undefined)
    throw new AddressError(text === '' ? 'The host is missing' : 'The host is not valid')
  const port = parts?.[3]
  if (port === undefined) return { host, port: defaultPort }
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65535) {
    throw new AddressError('The port must be a number from 1 to 65535')
  }
  return { host, port: Number(port) }
}

function checkEndpoint(endpoint: string): void {
  const match = /^https?:\/\/([^/?#]+)\/?$/.exec(endpoint)
  if (!match) throw new AddressError('endpoint must look like http://host:port or https://host')
  parseHost(match[1] ?? '', 443)
}

/** A network has a prefix of at most 32 or 128 bits, and a domain begins with a dot. */
function isHostOrNetwork(text: string): boolean {
  const [, host = '', prefix] = /^(.+?)(?:\/(\d{1,3}))?$/su.exec(text.trim()) ?? []
  const isIpv4 = /^\d{1,3}(\.\d{1,3}){3}$/.test(host) && host.split('.').every(each => Number(each) <= 255)
  const isIpv6 = /^(?=.*::|(?:[^:]*:){7})[\da-f:.]{2,45}$/i.test(host)
  if (prefix !== undefined) return (isIpv4 && Number(prefix) <= 32) || (isIpv6 && Number(prefix) <= 128)
  return isIpv4 || isIpv6 || /^\.?[\p{L}\p{N}\p{M}_-]+(\.[\p{L}\p{N}\p{M}_-]+)*\.?$/u.test(host)
}

export function hostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new AddressError('The address has a % that is not followed by two hexadecimal digits')
  }
}
