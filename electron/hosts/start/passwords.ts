import {
  accountOf,
  parseAddress,
  type StoreAddress,
  shortName,
  takesPassword,
} from '../../../shared/address.ts'
import { StartError } from './start-error.ts'

type Variables = Readonly<Record<string, string | undefined>>

const FOR_ALL = 'LOCKKEEPER_PASSWORD'

/**
 * The addresses with their passwords: that in the address; else that of the store's own variable; else, in their order, the lines
 * of the standard input, or LOCKKEEPER_PASSWORD. That one is for a single account: a password is never sent to a server that it
 * may not be for. Neither these lines nor that variable are for addresses that the operator did not name.
 */
export function withPasswords(
  texts: readonly string[],
  variables: Variables,
  lines: readonly string[] | null = null,
  named: readonly string[] = texts,
): StoreAddress[] {
  const addresses = texts.map(parseAddress)
  const names = variableNames(addresses)
  const known = addresses.map(address => {
    const password = address.password ?? variables[names.get(accountOf(address)) ?? '']
    return password === undefined ? address : { ...address, password }
  })
  const accounts = new Set(named.map(text => accountOf(parseAddress(text))))
  const open = known.filter(
    each => each.password === null && takesPassword(each) && accounts.has(accountOf(each)),
  )
  const given = lines === null ? fromVariable(open, variables[FOR_ALL], names) : fromLines(open, lines)
  return known.map(each => ({ ...each, password: given.get(each) ?? each.password }))
}

function fromVariable(
  open: readonly StoreAddress[],
  password: string | undefined,
  names: ReadonlyMap<string, string>,
): Map<StoreAddress, string> {
  const byAccount = new Map(open.map(each => [accountOf(each), each]))
  if (password && byAccount.size > 1) {
    const each = [...byAccount].map(([account, store]) => `${names.get(account)} for ${shortName(store)}`)
    throw new StartError(
      `${FOR_ALL} is the password of one store, and ${byAccount.size} stores have none of their own. Nothing was contacted: set ${each.join(', ')}`,
    )
  }
  return new Map(password === undefined ? [] : open.map(each => [each, password]))
}

function fromLines(open: readonly StoreAddress[], lines: readonly string[]): Map<StoreAddress, string> {
  if (open.length !== lines.length)
    throw new StartError(
      `--password-stdin needs one line for each store without a password, in their order: ${open.length}, and it got ${lines.length}. Nothing was contacted`,
    )
  return new Map(open.map((each, i) => [each, lines[i] ?? '']))
}

/** By account, in the order given: the second with one name gets a number. */
function variableNames(addresses: readonly StoreAddress[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const address of addresses) {
    const account = accountOf(address)
    if (names.has(account) || !takesPassword(address)) continue
    const wanted = variableFor(address)
    let name = wanted
    for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`
    taken.add(name)
    names.set(account, name)
  }
  return names
}

/** The store's own variable: LOCKKEEPER_PASSWORD_SHOP_AT_DB1 for the store "shop at db1". */
export function variableFor(address: StoreAddress): string {
  const name = shortName(address)
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
  return `${FOR_ALL}_${name.replace(/^_|_$/g, '')}`
}

/** For a process that needs none of our secrets. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !/^LOCKKEEPER_(STORES$|PASSWORD)/.test(name))
  return Object.fromEntries(others)
}
