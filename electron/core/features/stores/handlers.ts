import type { ConsoleInfo } from '../../../../shared/console.ts'
import { allKinds } from '../../../../shared/kinds.ts'
import type { StoreProfile } from '../../../../shared/stores.ts'
import { settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Facts, HandlersOf } from '../../lib/handler.ts'
import { firstPage } from '../../lib/json-size.ts'
import type { Connections } from './connections.ts'
import { withoutPassword } from './listed-store.ts'
import type { OpenStores } from './open-store.ts'
import { isWeaker, lookUpRuledHosts, rulesFor } from './store-rules.ts'
import type { Stores } from './stores.ts'
import { testStore } from './test-store.ts'
import { type SecretVault, statusOf } from './vault.ts'

type StoreHandlersOptions = {
  readonly connections: Connections
  readonly stores: OpenStores
  readonly list: Stores | null
  readonly vault: SecretVault
  readonly about: Omit<ConsoleInfo, 'secrets' | 'kinds'>
}

export function storeHandlers(options: StoreHandlersOptions): HandlersOf<'stores' | 'console'> {
  const { connections, stores, list, vault, about } = options
  const listed = (): Stores => {
    if (!list) throw new StoreError('UNSUPPORTED', 'This host keeps no list of stores')
    return list
  }

  return {
    'console.describe': async () => ({
      ...about,
      secrets: await statusOf(vault),
      kinds: [...allKinds()],
    }),
    'stores.open': async ({ address, password }) => {
      // Another spelling of an address must not bypass the rules of its store in the list.
      if (list) throw new StoreError('UNSUPPORTED', 'This console opens only the stores in its list')
      return connections.open(address, password)
    },
    'stores.close': async ({ storeId }) => {
      if (list?.profileOf(storeId))
        throw new StoreError('UNSUPPORTED', 'A store in the list is closed by stores.setOpen')
      await connections.close(storeId)
      return null
    },
    'stores.describe': async ({ storeId }, { signal }) => {
      const open = connections.get(storeId, signal)
      return open.store.describe(open.signal)
    },
    'stores.test': async (input, { signal }) => {
      const { profile, password } = await listed().draft(input)
      return connections.test(profile.address, password ?? undefined, async storeId => {
        const open = connections.get(storeId, signal)
        const test = await testStore(open.store, open.signal)
        const problems = test.problems.map(each => ({ ...each, message: stores.redact(each.message) }))
        await settle(() => connections.identify(storeId, open.signal))
        const place = stores.placeOf({ storeId, address: profile.address })
        await lookUpRuledHosts(place, listed().rules.ruled())
        const { from } = rulesFor(place, input.passwordOf ?? storeId, listed().rules.ruled())
        return { ...test, problems: firstPage(problems), rulesFrom: from }
      })
    },
    'stores.add': input => ({
      facts: shown(input.profile),
      apply: () => listed().add(input),
    }),
    'stores.edit': async input => {
      const before = await listed().decidedProfileOf(input.storeId)
      const after = shown(input.profile)
      return {
        facts: {
          ...after,
          ...(before && { changed: changesOf(shown(before), after) }),
          ...(input.password !== undefined && { credentials: 'set' }),
        },
        mustRecord: before !== null && isWeaker(before, input.profile),
        apply: () => listed().edit(input, before),
      }
    },
    'stores.remove': async ({ storeId }) => {
      const before = await listed().decidedProfileOf(storeId)
      return {
        facts: before ? shown(before) : { storeId },
        mustRecord: before !== null && isWeaker(before, null),
        apply: async () => {
          await listed().remove(storeId, before)
          return null
        },
      }
    },
    'stores.setOpen': ({ storeId, open }) => ({
      facts: { ...(list?.profileOf(storeId) ? stores.factsOf(storeId) : { storeId }), open },
      apply: () => listed().setOpen(storeId, open),
    }),
    'stores.watch': (_, signal) => listed().watch(signal),
  }
}

function shown({ name, address, production, readOnly }: StoreProfile) {
  return { storeName: name, store: withoutPassword(address).address, production, readOnly }
}

type Shown = ReturnType<typeof shown>

function changesOf(before: Shown, after: Shown): Facts {
  const names = Object.keys(after) as (keyof Shown)[]
  return Object.fromEntries(
    names
      .filter(name => before[name] !== after[name])
      .map(name => [name, { from: before[name], to: after[name] }]),
  )
}
