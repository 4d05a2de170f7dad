import { plural } from '../../../shared/numbers.ts'
import type { Exclusion } from '../../../shared/plans.ts'
import { clockTime, dateTime, duration, numbers } from './say.ts'

/** Plans: making, reviewing and listing them. The words of a run are in runs.ts. */
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
    },
  },
}
