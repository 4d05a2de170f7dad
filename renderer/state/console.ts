import { createStore } from 'zustand/vanilla'
import type { Client } from '../../shared/client.ts'
import type { ConsoleInfo } from '../../shared/console.ts'
import type { Input, MethodName, Output } from '../../shared/contract.ts'
import { addKinds } from '../../shared/kinds.ts'
import type { FormatInfo, Unrecognised, WatchEvent } from '../../shared/locks.ts'
import type { Failure, Result } from '../../shared/result.ts'
import type { StoreEntry, StoresEvent, Suggestion } from '../../shared/stores.ts'
import { openLink } from '../transport/link.ts'
import { endSession } from '../transport/web-session.ts'
import { t } from '../words/words.ts'
import { LockBook } from './lock-book.ts'

const NO_STATUS = {
  /** How fresh a store is shown. `connecting` until its first answer. */
  state: 'connecting' as 'connecting' | 'live' | 'stale' | 'down',
  since: 0,
  asOf: null as number | null,
  offsetMs: 0,
  error: null as Failure | null,
  /** When the next retry is due, by the local clock. */
  retryAt: null as number | null,
  /** Whether all locks have been read at least once. */
  loaded: false,
  pass: null as { readonly scanned: number; readonly tookMs: number } | null,
  unrecognised: { count: 0, sample: [] as readonly Unrecognised[] },
}
export type StoreStatus = Readonly<typeof NO_STATUS>

export const book = new LockBook()

const INITIAL = {
  /** `ended`: the host no longer knows this session. */
  link: 'connecting' as 'connecting' | 'up' | 'lost' | 'ended',
  info: null as ConsoleInfo | null,
  formats: new Map() as ReadonlyMap<string, FormatInfo>,
  entries: [] as readonly StoreEntry[],
  entriesKnown: false,
  suggestions: [] as readonly Suggestion[],
  notice: null as string | null,
  statuses: {} as Readonly<Record<string, StoreStatus>>,
  /** The last failed action that cannot show its own error, until it succeeds or is dismissed. */
  failed: null as { readonly what: string; readonly error: Failure } | null,
}
export type ConsoleState = Readonly<typeof INITIAL>

export const consoleStore = createStore<ConsoleState>(() => INITIAL)

export function statusOf(state: ConsoleState, storeId: string): StoreStatus {
  return state.statuses[storeId] ?? NO_STATUS
}

/** Whether the locks shown may be out of date. */
export function isBehind(status: StoreStatus): boolean {
  return status.state === 'stale' || status.state === 'down'
}

/** The store's clock; its time stops at the last read of a store that is not live. */
export function storeTime(status: StoreStatus, localNow: number): number {
  const now = localNow + status.offsetMs
  return isBehind(status) ? Math.min(now, status.asOf ?? now) : now
}

export let client: Client

/** Runs each time the console is connected. Returns a function that stops it. */
export function onConnected(run: () => void): () => void {
  return consoleStore.subscribe((now, before) => {
    if (now.link === 'up' && before.link !== 'up') run()
  })
}

/** Every call of the screen goes through here, so a call that could not be sent fails like any other. */
export function ask<M extends MethodName>(method: M, input: Input<M>): Promise<Result<Output<M>>> {
  return client
    .call(method, input)
    .catch(() => ({ ok: false, error: { code: 'ABORTED', message: t.status.lost } }) as const)
}

/** For a call whose caller cannot show its error. `what` says what was not done. */
export async function askOrReport<M extends MethodName>(
  what: string,
  method: M,
  input: Input<M>,
): Promise<Output<M> | null> {
  const result = await ask(method, input)
  if (!result.ok) consoleStore.setState({ failed: { what, error: result.error } })
  else if (consoleStore.getState().failed?.what === what) dismissFailed()
  return result.ok ? result.value : null
}

export function dismissFailed(): void {
  consoleStore.setState({ failed: null })
}

/** The window needs no session: it belongs to the operator's desktop. */
export function hasSession({ info }: ConsoleState): boolean {
  return info?.host === 'web'
}

/** Ends the session of this browser in all its pages. The page is loaded again, so nothing of it stays. */
export async function leaveSession(): Promise<void> {
  if (await endSession()) location.reload()
  else
    consoleStore.setState({
      failed: { what: t.session.notEnded, error: { code: 'ABORTED', message: t.status.lost } },
    })
}

export function setStoreOpen({ storeId, name }: Pick<StoreEntry, 'storeId' | 'name'>, open: boolean): void {
  const what = (open ? t.stores.notOpened : t.stores.notClosed)(name)
  void askOrReport(what, 'stores.setOpen', { storeId, open })
}

/** Open watches by store, each for one connection of it. */
const watches = new Map<string, { revision: number; close: () => void }>()

export function startConsole(): void {
  client = openLink(
    () => void greet(),
    link => {
      watches.clear()
      const stale = { state: 'stale', since: Date.now(), error: null, retryAt: null } as const
      const { statuses } = consoleStore.getState()
      for (const storeId of Object.keys(statuses)) update(storeId, stale)
      consoleStore.setState({ link })
    },
  )
}

/** The kinds come first: stores cannot be shown without them. */
async function greet(): Promise<void> {
  const { setState } = consoleStore
  const info = await askOrReport(t.errors.noVersion, 'console.describe', {})
  if (!info) return
  addKinds(info.kinds)
  setState({ link: 'up', info })
  void askOrReport(t.errors.noFormats, 'formats.list', {}).then(
    formats => formats && setState({ formats: new Map(formats.map(each => [each.id, each])) }),
  )
  const onStores = ({ stores, ...others }: StoresEvent) => {
    setState({ entries: stores, entriesKnown: true, ...others })
    follow(stores)
  }
  client.open('stores.watch', {}, onStores, () => {})
}

function follow(entries: readonly StoreEntry[]): void {
  const open = new Map(entries.filter(each => each.open && !each.problem).map(each => [each.storeId, each]))
  for (const [storeId, watch] of watches) {
    if (open.get(storeId)?.revision === watch.revision) continue
    watch.close()
    watches.delete(storeId)
    // Another connection may lead to another server, so the rows are dropped.
    forget(storeId)
  }
  // A stream may end before the list shows its store as closed, so check every status.
  for (const storeId of Object.keys(consoleStore.getState().statuses)) if (!open.has(storeId)) forget(storeId)
  for (const [storeId, { revision }] of open) {
    // Revision 0 is a store that is still being opened.
    if (revision === 0 || watches.has(storeId)) continue
    update(storeId, { state: 'connecting', error: null })
    const close = client.open(
      'locks.watch',
      { storeId },
      event => onWatch(storeId, event),
      () => {
        watches.delete(storeId)
        update(storeId, { state: 'stale', since: Date.now() })
      },
    )
    watches.set(storeId, { revision, close })
  }
}

function forget(storeId: string): void {
  book.forget(storeId)
  const { [storeId]: _, ...statuses } = consoleStore.getState().statuses
  consoleStore.setState({ statuses })
}

function onWatch(storeId: string, event: WatchEvent): void {
  const { offsetMs, loaded, unrecognised } = statusOf(consoleStore.getState(), storeId)
  switch (event.type) {
    case 'snapshot':
      book.apply(storeId, event)
      update(storeId, {
        loaded: event.complete,
        unrecognised: { count: event.unrecognised, sample: unrecognised.sample },
      })
      return
    case 'upsert':
    case 'remove':
      book.apply(storeId, event, !loaded)
      return
    case 'unrecognised':
      update(storeId, { unrecognised: event })
      return
    case 'pass':
      update(storeId, { asOf: event.serverTime, offsetMs: event.offsetMs ?? offsetMs, pass: event })
      return
    case 'status':
      update(storeId, {
        state: event.status,
        since: event.since,
        asOf: event.asOf,
        offsetMs: event.offsetMs ?? offsetMs,
        error: event.error,
        retryAt: event.retryInMs === null ? null : Date.now() + event.retryInMs,
        loaded: loaded || event.status === 'live',
      })
  }
}

function update(storeId: string, changes: Partial<StoreStatus>): void {
  consoleStore.setState(state => ({
    statuses: { ...state.statuses, [storeId]: { ...statusOf(state, storeId), ...changes } },
  }))
}
