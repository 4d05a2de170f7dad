import { plural } from '../../../shared/numbers.ts'
import type { PlanStatus, ResultName } from '../../../shared/plans.ts'
import { clockTime, dateTime, duration, numbers } from './say.ts'

/** Plans being applied: the confirmation, the progress and the result. */
export const runs = {
  confirm: {
    title: { release: 'Confirm the release', restore: 'Confirm the restore' },
    back: 'Back to the plan',
    reason: 'Reason',
    reasonHint: 'Goes into the audit log and the plan',
    type: (text: string) => `Type ${text} to confirm`,
    wrong: (text: string) => `Not a match. Type exactly ${text}`,
    right: 'Confirmed',
    rate: 'Locks a second, for each store',
    rateDefault: 'Gentle',
    rateHint: (rates: string) =>
      `Default: ${rates}, to spare a server already in trouble. You can change it during the run.`,
    gentle: (kind: string, rate: number) => `${numbers.format(rate)} for ${kind}`,
    rateWrong: 'Enter a number from 0.1 to 100,000, or leave it empty.',
    consequence: 'What it does',
    ofFormat: (n: number, title: string) => `${plural(n, 'lock', 'locks')} of ${title}`,
    readOnly: (name: string) =>
      `${name} is set to read-only in Lockkeeper. Nothing can be changed in it: exclude the store, or edit it first.`,
    notOpen: (name: string) => `${name} is not open here. Open it first.`,
    open: (n: number) =>
      n === 1 ? '1 lock is left to be attempted.' : `${numbers.format(n)} locks are left to be attempted.`,
    starting: 'Starting…',
    refused: 'Not started.',
    uncertain: 'The plan may have started. Close this and open the plan again.',
    missing: 'Enter a reason and type the confirmation.',
  },

  run: {
    states: {
      ready: 'Not applied',
      running: 'Running',
      paused: 'Paused',
      stopping: 'Stopping: requests in flight finish',
      checking: 'Reading the locks again',
      stopped: 'Stopped',
      done: 'Done',
    } satisfies Record<PlanStatus, string>,
    bar: { release: 'Progress of the release', restore: 'Progress of the restore' },
    percent: (percent: number) => `${percent} %`,
    of: (done: number, total: number) => `${numbers.format(done)} of ${numbers.format(total)}`,
    perSecond: (rate: number) =>
      `${rate >= 10 ? numbers.format(Math.round(rate)) : rate.toFixed(1)} a second`,
    left: (ms: number) => `about ${duration(ms)} left`,
    pause: 'Pause',
    resume: 'Resume',
    stop: 'Stop',
    rate: 'Locks a second, for each store',
    setRate: 'Set',
    rateNow: (rate: number | null) => (rate === null ? 'gentle' : numbers.format(rate)),
    trouble: (store: string, why: string) => `${store}: ${why}`,
    retryIn: (ms: number) => `Retrying in ${Math.max(1, Math.ceil(ms / 1000))} s.`,
    retrying: 'Retrying.',
    closing: 'Closing this does not stop the run; reopen it from the status line.',
    steerFailed: 'Not changed.',
    chip: {
      release: (progress: string) => `Releasing ${progress}`,
      restore: (progress: string) => `Restoring ${progress}`,
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
    label: 'Result',
    names: {
      released: 'Released',
      changed: 'Changed, not touched',
      gone: 'Already gone',
      failed: 'Failed',
      tried: 'Outcome unknown',
      restored: 'Restored',
      taken: 'Held again, not touched',
      ended: 'Would have expired',
      pending: 'Not attempted',
    } satisfies Record<ResultName, string>,
    chips: (name: string, n: number) => `${name}: ${numbers.format(n)}`,
    returnedChip: (n: number) => `Re-acquired: ${numbers.format(n)}`,
    uncertainChip: (n: number) => `Uncertain: ${numbers.format(n)}`,
    excludedChip: (n: number) => `Excluded: ${numbers.format(n)}`,
    returned: (n: number) =>
      n === 1
        ? '1 released lock was re-acquired by its previous holder: it is alive.'
        : `${numbers.format(n)} released locks were re-acquired by their previous holders: they are alive.`,
    returnedShow: 'Show them',
    notReturned: 'None was re-acquired by its previous holder.',
    notChecked: 'Not yet checked whether any was re-acquired.',
    cameBack: 'Released, re-acquired',
    changed: (owner: string | null) =>
      owner === null ? 'Changed, not touched' : `Now ${owner}, not touched`,
    taken: (owner: string | null) =>
      owner === null ? 'Held again, not touched' : `Now ${owner}, not touched`,
    gonePerhapsOurs: 'Gone: possibly released by an earlier attempt',
    failed: (why: string) => `Failed: ${why}`,
    uncertain: (why: string) => `Uncertain: ${why}`,
    resume: (n: number) => `Resume with ${numbers.format(n)} left…`,
    export: 'Export',
    exportCsv: 'Export CSV',
    exportJson: 'Export JSON',
    saved: (name: string) => `Saved ${name}.`,
  },

  undo: {
    button: 'Undo…',
    left: (ms: number) => `can be undone for ${duration(ms)}`,
    over: 'It can no longer be undone.',
    cannot: 'It cannot be undone.',
    undoes: 'Undoes an earlier release. A lock that is held again is not touched.',
  },
}
