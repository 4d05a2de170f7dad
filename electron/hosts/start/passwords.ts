import { domainToASCII } from 'node:url'
import {
  accountOf,
  parseAddress,
  type StoreAddress,
  schemeOf,
  serversOf,
  shortName,
  takesPassword,
  textsOf,
} from '../../../shared/address.ts'
import { kindOf } from '../../../shared/kinds.ts'
import { StartError } from './start-error.ts'

type Variables = Readonly<Record<string, string | undefined>>

const FOR_ALL = 'LOCKKEEPER_PASSWORD'

/**
 * The addresses with their passwords: that in the address; else that of the store's own variable; else, in their order, the lines
 * of the standard input, or LOCKKEEPER_PASSWORD. That one is for a single account: a password is never sent to a server that it
 * may not be for. Neither these lines nor that variable are for addresses that the operator did not name, nor is a variable for
 * options of theirs that its name does not tell.
 */
export function withPasswords(
  texts: readonly string[],
  variables: Variables,
  lines: readonly string[] | null = null,
  named: readonly string[] = texts,
): StoreAddress[] {
  const accounts = new Set(named.map(text => accountOf(parseAddress(text))))
  const isNamed = (address: StoreAddress) => accounts.has(accountOf(address))
  const addresses = texts.map(parseAddress)
  const known = addresses.map(address => {
    const mayUse = takesPassword(address) && (isNamed(address) || isKnownByName(address))
    const own = mayUse ? variables[variableFor(address)] : undefined
    // An empty variable counts as not set.
    return address.password === null && own ? { ...address, password: own } : address
  })
  const open = known.filter(each => each.password === null && takesPassword(each) && isNamed(each))
  // With a variable of its own for one of them, the general one may be for any other, or for none.
  const isShared = known.some((each, i) => each !== addresses[i])
  const general = isShared ? undefined : variables[FOR_ALL]
  const given = lines === null ? fromVariable(open, general) : fromLines(open, lines)
  return known.map(each => ({ ...each, password: given.get(each) ?? each.password }))
}

function fromVariable(
  open: readonly StoreAddress[],
  password: string | undefined,
): Map<StoreAddress, string> {
  const byAccount = new Map(open.map(each => [accountOf(each), each]))
  if (password && byAccount.size > 1) {
    const each = [...byAccount.values()].map(store => `${variableFor(store)} for ${shortName(store)}`)
    throw new StartError(
      `${FOR_ALL} is the password of one store, and this command has ${byAccount.size}. Nothing was contacted: set instead, for each that needs a password, a variable of its own: ${each.join(', ')}`,
    )
  }
  return new Map(password ? open.map(each => [each, password]) : [])
}

function fromLines(open: readonly StoreAddress[], lines: readonly string[]): Map<StoreAddress, string> {
  if (open.length !== lines.length)
    throw new StartError(
      `--password-stdin needs one line for each store that the command names without a password, in their order and empty for none: ${open.length}, and it got ${lines.length}. Nothing was contacted`,
    )
  return new Map(open.map((each, i) => [each, lines[i] ?? '']))
}

/**
 * The store's own variable, of its account and nothing else: LOCKKEEPER_PASSWORD_MYSQL_USER_ops_AT_DB__1_EXAMPLE for ops at
 * db-1.example. No two accounts share one: hosts are in capitals, . is _ and - is __; users are as they are written. Left out are
 * the options that are texts, such as `ca`: `isKnownByName` tells.
 */
export function variableFor(address: StoreAddress): string {
  const kind = kindOf(address.kind)
  const { prefix, at, sets = {} } = schemeOf(kind, textsOf(address))
  const servers = serversOf(address).map(({ host, port }) => {
    const own = at.is !== 'field' && port === at.port ? '' : `_PORT_${port}`
    return word(capitals(host)) + own
  })
  const place = at.is === 'field' ? [word(capitals(String(address[at.field.name])))] : servers
  const { username } = address
  const flags = kind.address.account.filter(name => address[name] === true && sets[name] === undefined)
  return [
    FOR_ALL,
    prefix.replace(/\W*$/, '').replace(/\W/g, '_').toUpperCase(),
    ...(username === null ? [] : ['USER', word(username)]),
    'AT',
    place.join('_AND_'),
    ...(typeof address['group'] === 'string' ? ['GROUP', word(address['group'])] : []),
    ...flags.map(name => name.toUpperCase()),
  ].join('_')
}

/** How a command gives the password of a store that got none. */
export function howToGive(address: StoreAddress, named: readonly string[]): string {
  const isNamed = named.some(text => accountOf(parseAddress(text)) === accountOf(address))
  if (isNamed) return `set ${variableFor(address)} or use --password-stdin`
  const own = isKnownByName(address) ? `set ${variableFor(address)}, or ` : ''
  return `${own}enter it at a terminal: the command does not name this store`
}

/** Whether the name of its variable says all that decides where and how the password is sent. */
function isKnownByName(address: StoreAddress): boolean {
  const { account, options } = kindOf(address.kind).address
  const isText = (name: string) => typeof address[name] === 'string'
  return !options.some(({ name }) => account.includes(name) && isText(name))
}

/** Host names are the same in any letters, and have a form in ASCII. */
function capitals(host: string): string {
  const ascii = /^[!-~]*$/.test(host) ? host : domainToASCII(host) || host
  return ascii.toUpperCase()
}

const SEPARATORS = new Map([
  ['.', '_'],
  ['-', '__'],
])
/** What stands between the parts of a name, and so cannot be a part. */
const RESERVED = /^(USER|AT|PORT|AND|GROUP|TLS|ALLOWPUBLICKEYRETRIEVAL)$/

/** Letters, digits, single dots and single dashes stay readable; anything else is in hexadecimal between three lines. */
function word(text: string): string {
  const hex = (part: string) => `___${Buffer.from(part).toString('hex').toUpperCase()}___`
  const isPlain = (part: string) => /^[A-Za-z\d]/.test(part) && !RESERVED.test(part)
  const parts = text.match(/[A-Za-z\d]+|[^A-Za-z\d]+/g) ?? []
  return parts.map(part => SEPARATORS.get(part) ?? (isPlain(part) ? part : hex(part))).join('')
}

/** For a process that needs none of our secrets. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !/^LOCKKEEPER_(STORES$|PASSWORD)/.test(name))
  return Object.fromEntries(others)
}
