import { plural } from '../../../shared/numbers.ts'
import type { Exclusion, PlanStatus, ResultName } from '../../../shared/plans.ts'
import { clockTime, dateTime, duration, numbers } from './say.ts'

/** Plans: making, reviewing, confirming and applying them. */
export const plans = {
  plans: {
    releaseAll: 'Release all…',
    releaseSelected: (n: number) => `Release ${numbers.format(n)} selected…`,
    releaseAllTitle: (n: number) =>
      n === 1
        ? 'Make a plan to release the lock that is shown (Shift Delete)'
        : `Make a plan to release the ${numbers.format(n)} locks that are shown (Shift Delete)`,
    cleanUp: 'Clean up expired locks…',
    openPlans: 'Open plans',
    openFile: 'Open a plan file…',
    notListed: 'Running plans were not found.',
    notRemoved: 'The canceled plan was not removed.',
    nav: 'Plans',

    making: {
      title: 'Release all',
      undoTitle: 'Undo',
      fileTitle: 'Open a plan file',
      working: 'Reading the locks. Nothing is released before you have reviewed the plan.',
      undoing: 'Finding what can be restored. Nothing is changed before you have reviewed the plan.',
      reading: 'Reading the file. Nothing is changed by opening it.',
      failed: 'No plan was made.',
      nothing: 'No lock is shown, so there is nothing to release.',
      filterUnclear: (parts: string) =>
        `Unrecognized filter (${parts}), so it is not certain what “all” would be. Fix the filter first.`,
      readOnly: (names: string) => `${names}: set to read-only in Lockkeeper. Nothing can be released there.`,
      tooLarge: 'The file is too large for a plan.',
      unreadable: 'The file could not be read.',
    },

    title: {
      release: (n: number) => `Release ${plural(n, 'lock', 'locks')}`,
      restore: (n: number) => `Restore ${plural(n, 'lock', 'locks')}`,
    },
    loading: 'Reading the plan…',
    loaded: (there: number, all: number) =>
      `${numbers.format(there)} of ${plural(all, 'lock', 'locks')} read…`,
    lost: 'This plan is no longer updated.',
    madeBy: (user: string, host: string, at: number) => `Made ${dateTime(at)} by ${user} on ${host}`,
    maker: (name: string) => `Signed by ${name}’s Lockkeeper`,
    filteredBy: (filter: string) => `filter: ${filter}`,
    ofStores: (n: number) => plural(n, 'store', 'stores'),
    leftOut: (names: string) => `Left out, because they are read-only: ${names}.`,

    groups: {
      label: 'Contents',
      by: {
        store: 'Store',
        holder: 'Holder',
        format: 'Format',
        state: 'State',
      } satisfies Record<Exclude<Exclusion['by'], 'lock'>, string>,
      only: (name: string) => `Show only ${name}`,
      more: (n: number) => `${numbers.format(n)} more; find them in the list`,
    },
    exclude: (name: string) => `Exclude ${name}`,
    include: (name: string) => `Include ${name}`,
    warnings: 'Before you continue',
    noWarnings: 'No known risks.',

    list: {
      label: 'Locks of the plan',
      columns: {
        mark: 'Excluded',
        state: 'State',
        key: 'Key',
        holder: 'Holder',
        store: 'Store',
        held: 'Held for',
        ends: 'Ends',
        result: 'Result',
        now: 'Now',
      },
      search: 'Find in the plan',
      searchHint: 'Key, holder or store',
      none: 'No lock of the plan matches.',
      endless: 'no known end',
      unknown: 'unknown',
      ended: (at: number) => `ended ${dateTime(at)}`,
      excludedBy: {
        store: 'Its whole store is excluded: include the store first.',
        holder: 'All locks of its holder are excluded: include the holder first.',
        format: 'Its whole format is excluded: include the format first.',
        state: 'Its whole state is excluded: include the state first.',
      } satisfies Record<Exclude<Exclusion['by'], 'lock'>, string>,
      excludeShown: (n: number) => `Exclude all shown (${numbers.format(n)})`,
      keepShown: (n: number) => `Include all shown (${numbers.format(n)})`,
      keysHint: '↑ ↓ move · Space or Delete excludes',
      shown: (n: number, all: number) => `${numbers.format(n)} of ${numbers.format(all)} shown`,
    },

    show: {
      label: 'Which locks are shown',
      all: (n: number) => `All ${numbers.format(n)}`,
      excluded: (n: number) => `${numbers.format(n)} excluded`,
      group: (name: string) => `Only ${name}`,
      same: (n: number) => `${numbers.format(n)} unchanged`,
      renewed: (n: number) => `${numbers.format(n)} renewed since`,
      changed: (n: number) => `${numbers.format(n)} changed since`,
      gone: (n: number) => `${numbers.format(n)} gone since`,
      unread: (n: number) => `${numbers.format(n)} could not be read`,
    },

    compare: {
      check: 'Check for changes',
      checking: 'Checking…',
      at: (at: number) => `Compared at ${clockTime(at)}.`,
      old: (ms: number) => `This plan is ${duration(ms)} old.`,
      allSame: (n: number) =>
        n === 1 ? 'The lock is unchanged.' : `All ${numbers.format(n)} are unchanged.`,
      some: (same: number, changed: number) =>
        `${numbers.format(same)} unchanged; ${numbers.format(changed)} changed.`,
      meaning: 'Renewed locks are still released. Locks that changed holder or are gone are not touched.',
      failed: 'Changes could not be checked.',
      now: {
        same: 'unchanged',
        renewed: 'renewed since',
        changed: (owner: string | null) => (owner === null ? 'changed since' : `now ${owner}`),
        gone: 'gone since',
        unread: 'not readable',
      },
    },

    next: 'Continue…',
    nothingLeft: 'Every lock is excluded.',
    saveFile: 'Save plan file',

    all: {
      title: 'Plans',
      text: 'The plans made here, newest first. A plan that was not applied changed nothing.',
      none: 'No plan was made here yet.',
      open: 'Open',
      remove: 'Remove',
      removeName: (title: string) => `Remove ${title}`,
      openName: (title: string) => `Open ${title}`,
      confirmRemove: 'Remove it?',
      failed: 'The list could not be read.',
      openFile: 'Open a plan file…',
      refused: 'Not used',
    },
  },

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
