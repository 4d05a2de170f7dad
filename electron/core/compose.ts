import { createReadStream } from 'node:fs'
import { parseAddress, shortName } from '../../shared/address.ts'
import { alertAdvice } from '../../shared/alert-advice.ts'
import { alertSentence } from '../../shared/alert-words.ts'
import type { ConsoleInfo } from '../../shared/console.ts'
import type { Problem } from '../../shared/locks.ts'
import type { StoreProfile } from '../../shared/stores.ts'
import type { Core, Handlers, StreamHandlers } from './dispatch.ts'
import { AlertActions } from './features/alerts/alert-actions.ts'
import { Alerts } from './features/alerts/alerts.ts'
import { fileAudit } from './features/audit/log.ts'
import { Holds, type HoldsOptions } from './features/holds/holds.ts'
import { listStore } from './features/locks/list.ts'
import { releaseOne } from './features/locks/release.ts'
import { MetricsReader } from './features/metrics/metrics-reader.ts'
import { Plans, type PlansOptions } from './features/plans/plans.ts'
import { UndoCopies } from './features/plans/undo-copies.ts'
import { type PrintPdf, Reports } from './features/reports/reports.ts'
import { Histories } from './features/stats/histories.ts'
import { StatsService } from './features/stats/stats.ts'
import { Connections } from './features/stores/connections.ts'
import type { OpenStore } from './features/stores/open-store.ts'
import { decidedAbout, StoreFile } from './features/stores/store-file.ts'
import { checkRules } from './features/stores/store-rules.ts'
import { RecordedSettings } from './features/stores/store-settings.ts'
import { type StartOptions, Stores } from './features/stores/stores.ts'
import { testStore } from './features/stores/test-store.ts'
import { type SecretVault, sessionVault } from './features/stores/vault.ts'
import { RunBook } from './features/switch/run-book.ts'
import { SwitchReports } from './features/switch/switch-report.ts'
import { Switches } from './features/switch/switches.ts'
import { historyMs, undoWindowMs } from './files/data-folder.ts'
import { StoreError } from './lib/errors.ts'
import { ALL_FORMATS } from './stores/kinds/formats.ts'

export type CoreOptions = {
  readonly dataFolder: string
  readonly host?: ConsoleInfo['host']
  readonly version?: string
  readonly vault?: SecretVault
  /** Without it nothing is opened and no list of stores is read: the command line names its store itself. */
  readonly start?: StartOptions
  /** For how long a release can be undone; zero keeps no copies. */
  readonly undoWindowMs?: number
  /** The clock by which that is. */
  readonly undoNow?: () => number
  /** For how long what is observed is kept; zero watches only what somebody looks at. */
  readonly historyMs?: number
  /** Makes paper of a page, where the host can. */
  readonly printPdf?: PrintPdf
  readonly plans?: Pick<PlansOptions, 'comeBackMs' | 'patienceMs'>
  readonly holds?: Pick<HoldsOptions, 'leaseMs' | 'lookMs' | 'now'>
}

/** Puts the core together. Hosts call this once and open a session per screen. */
export function createCore(options: CoreOptions): Core {
  const alerts = new Alerts({
    dataFolder: options.dataFolder,
    writes: options.start !== undefined,
    about(storeId, address) {
      const profile = stores
        ? stores.profileOf(storeId)
        : decidedElsewhere(address).find(each => each.production)
      return { name: nameOf(storeId, address), production: profile?.production ?? false }
    },
    mustCompare: (address, other) => runBook.isUnderWay(address, other),
  })
  const runBook = new RunBook({
    dataFolder: options.dataFolder,
    attends: options.start !== undefined,
    nameOf: (storeId, address) => nameOf(storeId, address),
    stores: {
      at: address => {
        const storeId = storesAt(address)[0]
        const watcher = storeId === undefined ? null : connections.watcherOf(storeId)
        return storeId === undefined || watcher === null ? null : { storeId, watcher }
      },
      open: storeId => openStore(storeId, new AbortController().signal),
      watched: storeId => histories.get(storeId),
    },
  })
  const histories = new Histories({
    dataFolder: options.dataFolder,
    keepMs: options.historyMs ?? historyMs({}),
    observes: storeId => stores?.has(storeId) ?? true,
    // The command line opens a store for one question; a console watches those of its list.
    attends: options.start !== undefined,
    subscribers: [alerts, runBook, { onTenureEnd: (store, heldMs) => metrics.onTenureEnd(store, heldMs) }],
  })
  const connections = new Connections(histories.observe)
  const redact = (message: string) => connections.redact(message)
  const redacted = (problem: Problem) => ({ ...problem, message: redact(problem.message) })
  const vault = options.vault ?? sessionVault('This host keeps no passwords.')
  const stores: Stores | null = options.start
    ? new Stores(connections, new StoreFile(options.dataFolder), vault, options.start)
    : null
  const kept = (): Stores => {
    if (!stores) throw new StoreError('UNSUPPORTED', 'This host keeps no list of stores')
    return stores
  }

  const describe = (input: unknown) => {
    const { storeId, holdId, ...rest } = input as { storeId?: string; holdId?: string }
    const name = stores?.profileOf(storeId ?? '')?.name
    return {
      ...(holdId === undefined ? {} : { hold: holdId, ...holds.factsOf(holdId) }),
      ...(storeId === undefined ? {} : { store: connections.addressOf(storeId) }),
      ...(name === undefined ? {} : { storeName: name }),
      ...rest,
    }
  }
  const audit = fileAudit(options.dataFolder, describe, redact)
  const settings = new RecordedSettings(kept, audit)
  const copies = new UndoCopies(options.dataFolder, options.undoWindowMs ?? undoWindowMs({}), options.undoNow)
  const nameOf = (storeId: string, address: string): string =>
    stores?.profileOf(storeId)?.name ?? shortName(parseAddress(address))
  // The command line has no list of its own, but keeps to what was decided in the console about the same place.
  const decided = (address: string) => decidedAbout(options.dataFolder, parseAddress(address))
  /** For what is only told: where that cannot be read, every change is refused anyway. */
  const decidedElsewhere = (address: string): StoreProfile[] => {
    try {
      return decided(address)
    } catch {
      return []
    }
  }
  const openStore = (storeId: string, signal: AbortSignal): OpenStore => {
    const open = connections.get(storeId, signal)
    const profile = stores?.profileOf(storeId)
    const { address } = open.store
    const rules = () => (stores ? [stores.profileOf(storeId)] : decided(address))
    return {
      ...open,
      storeId,
      name: nameOf(storeId, address),
      production: stores ? profile?.production === true : decidedElsewhere(address).some(has('production')),
      isReadOnly: () => rules().some(has('readOnly')),
      listed: Boolean(profile),
      redact,
    }
  }
  // Where there is a list, a connection that is only being tested has no rules, and is none to change anything through.
  const storesAt = (address: string) =>
    connections.at(address).filter(storeId => stores?.has(storeId) ?? true)
  const openAt = (address: string, signal: AbortSignal): OpenStore[] =>
    storesAt(address).map(storeId => openStore(storeId, signal))
  const rulesOf = ({ storeId, store }: OpenStore) => {
    const profile = stores?.profileOf(storeId) ?? null
    // A command has no list, and a fence that says what is meant; a hold has none, so there too the name is asked for.
    const elsewhere = profile ? undefined : decidedElsewhere(store.address).find(has('production'))
    const { production = false, name = null } = profile ?? elsewhere ?? {}
    return {
      release: { productionName: profile?.production ? profile.name : null },
      hold: { productionName: production ? name : null },
      revision: stores?.revisionOf(storeId) ?? null,
    }
  }
  const plans = new Plans({
    dataFolder: options.dataFolder,
    stores: { get: openStore, at: openAt },
    audit,
    copies,
    mayNameFiles: stores === null,
    ...options.plans,
  })

  const holds = new Holds({
    dataFolder: options.dataFolder,
    stores: {
      get: openStore,
      at: openAt,
      provider: (storeId, format, table) => connections.provider(storeId, format, table),
      check(open, asked) {
        const { hold, revision } = rulesOf(open)
        checkRules(open, { ...hold, revision }, asked, 'A hold')
      },
    },
    audit,
    attends: options.start !== undefined,
    ...options.holds,
  })

  const alertActions = new AlertActions({
    alerts,
    audit,
    addressOf: stores && (storeId => stores.profileOf(storeId)?.address ?? null),
  })

  const switches = new Switches({
    ...{ book: runBook, audit, get: openStore },
    plan: (storeId, signal, action) => plans.create({ storeIds: [storeId] }, signal, action),
  })
  const switchReports = new SwitchReports({ book: runBook, plans, version: options.version ?? '' })

  // In the operator's order, whichever was reached first.
  const openStores = () => {
    const open = connections.ids()
    return stores?.ids().filter(storeId => open.includes(storeId)) ?? open
  }
  const stats = new StatsService({ histories, openStores, get: openStore, redact })
  const reports = new Reports({
    ...{ stats, histories, openStores, get: openStore, audit, redact },
    alerts: {
      within: (from, to) => alerts.within(from, to),
      explain: alert => ({ says: alertSentence(alert), next: alertAdvice(alert) }),
    },
    version: options.version ?? '',
    printPdf: options.printPdf ?? null,
  })

  const metrics = new MetricsReader({
    stores: () => connections.ids().flatMap(storeId => histories.get(storeId) ?? []),
    nameOf,
    alerts,
  })

  const handlers: Handlers = {
    'formats.list': async () => [...ALL_FORMATS],
    'console.describe': async () => ({
      host: options.host ?? 'cli',
      version: options.version ?? '',
      dataFolder: options.dataFolder,
      secrets: await vault.status(),
    }),
    'stores.add': (input, _, action) => settings.add(input, action),
    'stores.edit': (input, _, action) => settings.edit(input, action),
    'stores.remove': async ({ storeId }, _, action) => {
      await settings.remove(storeId, action)
      histories.forget(storeId)
      return null
    },
    'stores.setOpen': ({ storeId, open }) => kept().setOpen(storeId, open),
    'stores.test': async (input, signal) => {
      const { address, password } = await kept().resolve(input)
      const { storeId } = await connections.open(address, password)
      try {
        const open = connections.get(storeId, signal)
        const found = await testStore(open.store, open.signal)
        return { ...found, problems: found.problems.map(redacted) }
      } finally {
        await connections.close(storeId)
      }
    },
    'stores.open': async ({ address, password }) => {
      // Where there is a list, its rules must not be walked around by another spelling of the same address.
      if (stores) throw new StoreError('UNSUPPORTED', 'This console opens the stores of its list only')
      return connections.open(address, password)
    },
    'stores.describe': async ({ storeId }, signal) => {
      const open = connections.get(storeId, signal)
      return open.store.describe(open.signal)
    },
    'stores.capabilities': async ({ storeId }, signal) => {
      const open = connections.get(storeId, signal)
      return open.store.capabilities(open.signal)
    },
    'stores.close': async ({ storeId }) => {
      // One of the list is switched off, so that the list goes on telling the truth.
      if (stores?.has(storeId)) await stores.setOpen(storeId, false)
      else await connections.close(storeId)
      return null
    },
    'locks.inspect': async ({ storeId, id }, signal) => {
      const open = connections.get(storeId, signal)
      const record = await open.store.inspect(id, open.signal)
      return record && { ...record, story: open.watcher.storyOf(record.lock?.id ?? id) }
    },
    'locks.release': async ({ storeId, id, fence, ...asked }, signal, action) => {
      const open = openStore(storeId, signal)
      const { release, revision } = rulesOf(open)
      checkRules(open, { ...release, revision }, asked, 'A release')
      try {
        return await releaseOne(open, { id, fence }, { audit, copies, action })
      } finally {
        // Whatever came of it, the screen should see what is there now.
        open.watcher.poke()
      }
    },
    'plans.create': (input, signal, action) => plans.create(input, signal, action),
    'plans.open': ({ file }) => plans.open(file),
    'plans.list': () => plans.list(),
    'plans.import': ({ text }) => plans.import(text),
    'plans.remove': async ({ planId }) => {
      await plans.remove(planId)
      return null
    },
    'plans.exclude': input => plans.exclude(input),
    'plans.compare': ({ planId }, signal) => plans.compare(planId, signal),
    'plans.apply': (input, _signal, action) => plans.apply(input, action),
    'plans.steer': input => plans.steer(input),
    'plans.undo': (input, _signal, action) => plans.undo(input, action),
    'audit.list': (query, signal) => audit.read(query, signal),
    'audit.verify': (_, signal) => audit.verify(signal),
    'stats.read': (query, signal) => stats.read(query, signal),
    'stats.history': query => stats.history(query),
    'stats.groups': query => stats.groups(query),
    'stats.tenures': query => stats.tenures(query),
    'stats.keys': query => stats.keys(query),
    'alerts.acknowledge': async (input, _, action) => {
      await alertActions.acknowledge(input, action)
      return null
    },
    'alerts.mute': (input, _, action) => alertActions.mute(input, action),
    'alerts.unmute': async ({ muteId }, _, action) => {
      await alertActions.unmute(muteId, action)
      return null
    },
    'alerts.decide': (input, _, action) => alertActions.decide(input, action),
    'switch.list': () => switches.list(),
    'switch.begin': (input, signal, action) => switches.begin(input, signal, action),
    'switch.pass': (input, _, action) => switches.pass(input, action),
    'switch.back': (input, _, action) => switches.back(input, action),
    'switch.abandon': (input, _, action) => switches.abandon(input, action),
    'switch.envPreview': (input, _, action) => switches.envPreview(input, action),
    'switch.envChange': (input, _, action) => switches.envChange(input, action),
    'switch.plan': ({ switchId }, signal, action) => switches.plan(switchId, signal, action),
    'holds.choices': (input, signal) => holds.choices(input, signal),
    'holds.take': (input, signal, action) => holds.take(input, signal, action),
    'holds.extend': (input, signal) => holds.extend(input, signal),
    'holds.release': (input, signal) => holds.release(input, signal),
  }

  const streamHandlers: StreamHandlers = {
    'stores.watch': (_, signal) => kept().watch(signal),
    'locks.list': ({ storeId, limit }, signal) => {
      const open = connections.get(storeId, signal)
      return listStore(open.store, limit, redacted, open.signal)
    },
    'locks.watch': ({ storeId, intervalMs }, signal) => {
      const open = connections.get(storeId, signal)
      return open.watcher.subscribe(intervalMs, open.signal)
    },
    'plans.watch': ({ planId }, signal) => plans.watch(planId, signal),
    'alerts.watch': (_, signal) => alerts.watch(signal),
    'holds.watch': (_, signal) => holds.watch(signal),
    'reports.write': (request, signal) => reports.write(request, signal),
    'switch.watch': ({ switchId }, signal) => switches.watch(switchId, signal),
    'switch.report': ({ switchId, as }) => switchReports.write(switchId, as),
    'plans.file': async function* ({ planId }) {
      const file = createReadStream(await plans.pathOf(planId), {
        encoding: 'utf8',
        highWaterMark: 256 * 1024,
      })
      for await (const text of file) yield { text: text as string }
    },
  }

  return {
    handlers,
    streamHandlers,
    audit,
    metrics,
    redact,
    async close() {
      await holds.close()
      await alerts.close()
      await runBook.close()
      await plans.close()
      await histories.close()
      await connections.closeAll()
    },
  }
}

function has(rule: 'production' | 'readOnly'): (profile: StoreProfile | null) => boolean {
  return profile => profile?.[rule] === true
}
