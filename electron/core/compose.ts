import type { ConsoleInfo } from '../../shared/console.ts'
import type { Core } from './dispatch.ts'
import { Alerts } from './features/alerts/alerts.ts'
import { alertHandlers } from './features/alerts/handlers.ts'
import { auditHandlers, fileAudit } from './features/audit/log.ts'
import { holdHandlers } from './features/holds/handlers.ts'
import { Holds, type HoldsOptions } from './features/holds/holds.ts'
import { lockHandlers } from './features/locks/handlers.ts'
import { MetricsReader } from './features/metrics/metrics-reader.ts'
import { Plans, type PlansOptions } from './features/plans/plans.ts'
import { UndoCopies } from './features/plans/undo-copies.ts'
import { type PrintPdf, reportHandlers } from './features/reports/reports.ts'
import { Histories } from './features/stats/histories.ts'
import { StatsService, statsHandlers } from './features/stats/stats.ts'
import { Connections } from './features/stores/connections.ts'
import { storeHandlers } from './features/stores/handlers.ts'
import { OpenStores } from './features/stores/open-store.ts'
import { storeFile } from './features/stores/store-file.ts'
import { type StartOptions, Stores } from './features/stores/stores.ts'
import { type SecretVault, sessionVault } from './features/stores/vault.ts'
import { switchHandlers } from './features/switch/handlers.ts'
import { SwitchRuns } from './features/switch/switch-runs.ts'
import { historyMs, undoWindowMs } from './files/data-folder.ts'
import { type Settled, settle } from './lib/concurrency.ts'

export type CoreOptions = {
  readonly dataFolder: string
  readonly host?: ConsoleInfo['host']
  readonly version?: string
  readonly vault?: SecretVault
  /** For a console. A host without it, such as the command line, has no list of stores and opens those of its arguments. */
  readonly start?: StartOptions
  /** The program of a room, in which each store is opened; without it, stores are opened in this thread. */
  readonly roomFile?: string
  /** How long a release can be undone; zero keeps no copies. */
  readonly undoWindowMs?: number
  /** The clock of that window. */
  readonly undoNow?: () => number
  /** How long history is kept; zero watches a store only while a screen shows it. */
  readonly historyMs?: number
  /** Prints a page, if the host can. */
  readonly printPdf?: PrintPdf
  readonly plans?: Pick<PlansOptions, 'comeBackMs' | 'patienceMs'>
  readonly holds?: Pick<HoldsOptions, 'answerMs' | 'lookMs' | 'now'>
}

/** Puts the core together. Hosts call this once and open a session per screen. */
export function createCore(options: CoreOptions): Core {
  const { dataFolder, start, host = 'cli', version = '', printPdf = null } = options
  const attends = start !== undefined
  const vault = options.vault ?? sessionVault('This host keeps no passwords.')

  const connections = new Connections(options.roomFile)
  const list = start ? new Stores(connections, storeFile(dataFolder), vault, start) : null
  const stores = new OpenStores({ connections, list, dataFolder })
  const nameOf = (storeId: string, address: string) => stores.nameOf(storeId, address)
  const addressOf = list && ((storeId: string) => list.profileOf(storeId)?.address ?? null)
  const redact = (message: string) => stores.redact(message)
  const audit = fileAudit(dataFolder, redact)

  const keepMs = options.historyMs ?? historyMs({})
  const observes = (storeId: string) => stores.isKept(storeId)
  const histories = new Histories({ dataFolder, keepMs, observes, attends })
  const switchRuns = new SwitchRuns({ dataFolder, attends, stores, histories })
  const alerts = histories.subscribe(
    new Alerts({
      dataFolder,
      writes: attends,
      about: (storeId, address) => ({
        name: nameOf(storeId, address),
        production: stores.isProduction(storeId, address),
      }),
      mustCompare: (address, other) => switchRuns.isUnderWay(address, other),
    }),
  )
  const watched = () => connections.ids().flatMap(storeId => histories.get(storeId) ?? [])
  const metrics = histories.subscribe(new MetricsReader({ stores: watched, nameOf, alerts }))
  connections.observeWith(histories.observe)
  list?.onRemoved(storeId => histories.forget(storeId))
  list?.load()

  const copies = new UndoCopies(dataFolder, options.undoWindowMs ?? undoWindowMs({}), options.undoNow)
  const mayNameFiles = list === null
  const plans = new Plans({ dataFolder, stores, audit, copies, mayNameFiles, ...options.plans })
  const holds = new Holds({ dataFolder, stores, audit, attends, ...options.holds })
  const planStore = (storeId: string, signal: AbortSignal, action: string) =>
    plans.handlers['plans.create']({ storeIds: [storeId] }, { signal, action })
  const stats = new StatsService({ histories, stores })
  const reportSources = { stats, histories, stores, dataFolder, alerts, version }

  return {
    handlers: {
      ...storeHandlers({ connections, stores, list, vault, about: { host, version, dataFolder } }),
      ...lockHandlers({ stores, audit, copies }),
      ...plans.handlers,
      ...auditHandlers(dataFolder),
      ...statsHandlers(stats),
      ...alertHandlers({ alerts, addressOf }),
      ...holdHandlers(holds, stores),
      ...reportHandlers(reportSources, printPdf),
      ...switchHandlers({ runs: switchRuns, stores, dataFolder, plan: planStore, plans, version }),
    },
    audit,
    metrics,
    redact,
    async close() {
      const parts = [
        list,
        holds,
        alerts,
        switchRuns,
        plans,
        histories,
        { close: () => connections.closeAll() },
      ]
      // One that fails must not keep the others open.
      const closed: Settled<void>[] = []
      for (const part of parts) closed.push(await settle(async () => part?.close()))
      for (const each of closed) if (!each.ok) throw each.error
    },
  }
}
