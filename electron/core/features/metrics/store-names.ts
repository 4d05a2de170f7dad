import { parseAddress, showAddress } from '../../../../shared/address.ts'

type Named = { readonly name: string; readonly address: string }

/**
 * A unique name for each store. A console's names are unique already; the command line makes names of addresses, without region, table
 * and pattern, and falls back to the address without its account.
 */
export function distinctNames(stores: readonly Named[]): string[] {
  const byName = stores.map(({ name }) => name)
  const longer = stores.map(({ name, address }) =>
    isSingle(byName, name) ? name : showAddress({ ...parseAddress(address), username: null }),
  )
  return longer.map((name, i) => {
    const before = longer.slice(0, i).filter(each => each === name).length
    return before === 0 ? name : `${name} (${before + 1})`
  })
}

function isSingle(names: readonly string[], name: string): boolean {
  return names.filter(each => each === name).length === 1
}
