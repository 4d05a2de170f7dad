import { kindOf } from '../../../../shared/kinds.ts'
import { isoTime } from '../../../../shared/lease.ts'
import { plural, sayNumber, sayTimes } from '../../../../shared/numbers.ts'
import type { ReportAction, ReportGap, ReportHold, ReportStore } from '../../../../shared/report-document.ts'
import type { Counted } from '../../../../shared/stats.ts'
import { type Cell, code, quiet, type Tone } from './block.ts'

/** The words of a report. A writer must escape them before they are shown. */

/** For times of our own clock, which a date can always represent. */
export function iso(time: number): string {
  return isoTime(time) ?? new Date(0).toISOString()
}

/** Messages of servers may end with a full stop. */
export function withoutStop(text: string): string {
  return text.replace(/\.$/, '')
}

/** To the second; the zone is stated once. */
export function sayTime(iso: string): string {
  return iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '')
}

export function timeCell(iso: string): Cell {
  return { text: sayTime(iso), as: 'time' }
}

export function numberCell(n: number | null, unknown = 'not known'): Cell {
  if (n === null) return { text: unknown, as: 'number', tone: 'quiet' }
  return { text: sayNumber(n), as: 'number' }
}

export function holderCell(holder: string | null): Cell {
  return holder === null ? quiet('not recorded') : code(holder)
}

export function sayWindow(from: string, to: string): string {
  const [start, end] = [sayTime(from), sayTime(to)]
  const isSameDay = start.slice(0, 10) === end.slice(0, 10)
  return `${start} to ${isSameDay ? end.slice(11) : end} UTC`
}

export const STATES: Record<Counted, { readonly name: string; readonly tone: Tone | undefined }> = {
  held: { name: 'held', tone: undefined },
  expiring: { name: 'expiring', tone: 'warn' },
  expired: { name: 'expired', tone: 'danger' },
  endless: { name: 'no expiry', tone: 'endless' },
  unknown: { name: 'unknown', tone: 'quiet' },
  released: { name: 'free', tone: 'quiet' },
}

export const STATUSES: Record<ReportStore['status'], { readonly name: string; readonly tone: Tone }> = {
  live: { name: 'live', tone: 'live' },
  unwatched: { name: 'read for this report', tone: 'live' },
  stale: { name: 'read in part', tone: 'warn' },
  down: { name: 'not reachable', tone: 'danger' },
}

export function sayOffset(store: ReportStore): string {
  const { clockOffsetMs: offset, clockErrorMs: error } = store
  if (offset === null) return 'not known'
  const sign = offset < 0 ? '−' : '+'
  const within = error === null ? '' : ` ± ${sayNumber(error)} ms`
  return `${sign}${sayNumber(Math.abs(offset))} ms${within}`
}

export function saySpent({ kind, spent }: ReportStore): string {
  const [one, other] = kindOf(kind).requests
  const units =
    spent.units === null
      ? ''
      : `, ${plural(Math.round(spent.units * 10) / 10, 'capacity unit', 'capacity units')}`
  return `${plural(spent.requests, one, other)}${units}`
}

const WHY_GAP: Record<ReportGap['why'], string> = {
  down: 'the store did not answer',
  partial: 'a part of it could not be read',
  away: 'not watched',
}

export function sayGap({ why, message }: ReportGap): string {
  return message === null ? WHY_GAP[why] : `${WHY_GAP[why]}: ${message}`
}

const BEGINS: Record<ReportHold['begin'], string> = {
  stored: 'from',
  seen: 'from about',
  before: 'from before',
}
const ENDS: Record<ReportHold['end'], string> = {
  held: 'still held',
  freed: 'released',
  lapsed: 'ran out',
  'passed-on': 'the holder changed',
  unseen: 'end not observed',
}

/** One line of the history of a lock. */
export function sayTenure(hold: ReportHold): string {
  const who = hold.holder ?? 'not recorded'
  const until = hold.until === null ? '' : ` to ${sayTime(hold.until)}`
  const renewed = hold.renewals === 0 ? '' : `; renewed ${sayTimes(hold.renewals)}`
  return `${who}: ${BEGINS[hold.begin]} ${sayTime(hold.from)}${until}, ${ENDS[hold.end]}${renewed}`
}

const METHODS: Record<string, string> = {
  'locks.release': 'Release',
  'plans.create': 'Plan made',
  'plans.apply': 'Plan applied',
  'plans.undo': 'Undo planned',
  'holds.take': 'Maintenance hold',
  'holds.extend': 'Hold extended',
  'holds.release': 'Hold released',
  'stores.add': 'Store added',
  'stores.edit': 'Store settings changed',
  'stores.remove': 'Store removed',
  'switch.begin': 'Provider switch started',
  'switch.pass': 'Step of a switch passed',
  'switch.back': 'Returned to a step of a switch',
  'switch.abandon': 'Provider switch abandoned',
  'switch.envPreview': 'Settings file chosen',
  'switch.envChange': 'Settings file changed',
}

export function sayMethod(method: string | null): string {
  return method === null ? 'Action' : (METHODS[method] ?? method)
}

const OUTCOMES: Record<string, string> = {
  released: 'released',
  changed: 'had changed, not touched',
  gone: 'was gone already',
  failed: 'failed',
  restored: 'restored',
  taken: 'name taken, not restored',
  ended: 'lease over, not restored',
  tried: 'tried, answer unknown',
  pending: 'not attempted',
  'not attempted': 'not attempted',
  'came-back': 'written back by the holder',
  begun: 'started',
  done: 'done',
  stopped: 'stopped',
  held: 'held',
  waiting: 'waited for',
  refused: 'held by another holder, not taken',
  extended: 'extended',
  'ran-out': 'released at its planned end',
  lost: 'lost',
  'given-up': 'given up',
}

export function sayOutcome(outcome: string): string {
  return OUTCOMES[outcome] ?? outcome
}

/** The result of an action, in one cell. */
export function sayResult({ outcome, error, counts }: ReportAction): string {
  const counted = Object.entries(counts).map(([name, n]) => `${sayNumber(n)} ${sayOutcome(name)}`)
  const said = error ? `${error.code}: ${error.message}` : outcome === null ? null : sayOutcome(outcome)
  return [...(said === null ? ['not recorded: it may have happened'] : [said]), ...counted].join('; ')
}

export function isDone({ outcome, error, notDone }: ReportAction): boolean {
  return error === null && outcome !== null && outcome !== 'changed' && notDone.length === 0
}
