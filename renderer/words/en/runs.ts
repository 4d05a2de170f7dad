import { plural } from '../../../shared/numbers.ts'
import type { PLAN_STATES, ResultName } from '../../../shared/plans.ts'
import { clockTime, dateTime, duration, numbers } from './say.ts'

/** Plans at work: the last question, how it goes, and what became of it. */
export const runs = {
  confirm: {
    title: { release: 'Confirm the release', restore: 'Confirm putting back' },
    back: 'Back to the plan',
    reason: 'Reason',
    reasonHint: 'Goes into the audit log and the plan',
    type: (text: string) => `Type ${text} to confirm`,
    wrong: (text: string) => `That is not it. Type exactly ${text}`,
    right: 'Confirmed',
    rate: 'Locks a second, for each store',
    rateDefault: 'Gentle',
    rateHint: (rates: string) =>
      `Left empty, it is ${rates}, to spare a server that is in trouble already. It can be changed while it runs.`,
    gentle: (kind: string, rate: number) => `${numbers.format(rate)} for ${kind}`,
    rateWrong: 'A number from 0.1 to 100,000, or nothing.',
    consequence: 'What it does',
    ofFormat: (n: number, title: string) => `${plural(n, 'lock', 'locks')} of ${title}`,
    readOnly: (name: string) =>
      `${name} is set to read-only in Lockkeeper. Nothing can be changed in it: exclude the store, or edit it first.`,
    notOpen: (name: string) => `${name} is not open here. It has to be, for its locks to be reached.`,
    open: (n: number) =>
      n === 1 ? '1 lock is left to be attempted.' : `${numbers.format(n)} locks are left to be attempted.`,
    release: (n: number) => `Release ${plural(n, 'lock', 'locks')}`,
    restore: (n: number) => `Put back ${plural(n, 'lock', 'locks')}`,
    starting: 'Starting…',
    refused: 'Not started.',
    uncertain: 'It is not known for certain whether it started. Close this and look at the plan again.',
    missing: 'Still to do: the reason, and every confirmation typed exactly.',
  },

  run: {
    states: {
      ready: 'Not applied',
      running: 'Running',
      paused: 'Paused',
      stopping: 'Stopping: finishing what was sent',
      checking: 'Reading the locks again',
      stopped: 'Stopped',
      done: 'Done',
    } satisfies Record<(typeof PLAN_STATES)[number], string>,
    bar: { release: 'Progress of the release', restore: 'Progress of putting back' },
    percent: (percent: number) => `${percent} %`,
    of: (done: number, total: number) => `${numbers.format(done)} of ${numbers.format(total)}`,
    perSecond: (rate: number) =>
      `${rate >= 10 ? numbers.format(Math.round(rate)) : rate.toFixed(1)} a second`,
    left: (ms: number) => `about ${duration(ms)} left`,
    pause: 'Pause',
    goOn: 'Go on',
    stop: 'Stop after what was sent',
    rate: 'Locks a second, for each store',
    setRate: 'Set',
    rateNow: (rate: number | null) => (rate === null ? 'gentle' : numbers.format(rate)),
    trouble: (store: string, why: string) => `${store}: ${why}`,
    retryIn: (ms: number) => `Trying again in ${Math.max(1, Math.ceil(ms / 1000))} s.`,
    retrying: 'Trying again.',
    closing: 'Closing this does not stop it; the line at the bottom brings it back.',
    steerFailed: 'Not changed.',
    chip: {
      release: (done: number, total: number) =>
        `Releasing ${numbers.format(done)} of ${numbers.format(total)}`,
      restore: (done: number, total: number) =>
        `Putting back ${numbers.format(done)} of ${numbers.format(total)}`,
    },
    chipState: (what: string, state: string) => `${what} · ${state}`,
    started: (at: number, reason: string | null) =>
      reason === null ? `Started ${clockTime(at)}` : `Started ${clockTime(at)}: ${reason}`,
    ended: (from: number, to: number, reason: string | null) =>
      reason === null
        ? `${dateTime(from)} – ${clockTime(to)}`
        : `${dateTime(from)} – ${clockTime(to)}: ${reason}`,
  },

  result: {
    label: 'What became of it',
    names: {
      released: 'Released',
      changed: 'Changed, not touched',
      gone: 'Gone already',
      failed: 'Failed',
      tried: 'Tried, end not known',
      restored: 'Put back',
      taken: 'Taken again, not touched',
      ended: 'Would have ended',
      pending: 'Not attempted',
    } satisfies Record<ResultName, string>,
    chips: (name: string, n: number) => `${name}: ${numbers.format(n)}`,
    returnedChip: (n: number) => `Came back: ${numbers.format(n)}`,
    uncertainChip: (n: number) => `Uncertain: ${numbers.format(n)}`,
    excludedChip: (n: number) => `Excluded: ${numbers.format(n)}`,
    returned: (n: number) =>
      n === 1
        ? '1 released lock was there again afterwards, held by the same token: its holder is alive and wrote it back.'
        : `${numbers.format(n)} released locks were there again afterwards, held by the same tokens: their holders are alive and wrote them back.`,
    returnedShow: 'Show them',
    notReturned: 'None came back with the same token.',
    notLooked: 'Nobody has looked yet whether any came back.',
    cameBack: 'Released, came back',
    changed: (owner: string | null) =>
      owner === null ? 'Changed, not touched' : `Now ${owner}, not touched`,
    taken: (owner: string | null) =>
      owner === null ? 'Taken again, not touched' : `Now ${owner}, not touched`,
    gonePerhapsOurs: 'Gone: perhaps by our earlier attempt',
    failed: (why: string) => `Failed: ${why}`,
    uncertain: (why: string) => `Uncertain: ${why}`,
    resume: (n: number) => `Go on with ${numbers.format(n)} left…`,
    export: 'Export',
    exportCsv: 'Export CSV',
    exportJson: 'Export JSON',
    saved: (name: string) => `${name} was handed over to be saved.`,
    saveFailed: 'The file could not be read.',
  },

  undo: {
    button: 'Undo…',
    left: (ms: number) => `can be undone for ${duration(ms)}`,
    over: 'It can no longer be undone.',
    cannot: 'It cannot be undone.',
    undoes: 'Takes back an earlier release. A lock whose name is taken again is not touched.',
  },
}
