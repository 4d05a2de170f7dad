import { MINUTE_MS } from '../../../shared/duration.ts'
import type { HoldEnd, HoldMode, MaintenanceHold } from '../../../shared/holds.ts'
import { plural } from '../../../shared/numbers.ts'
import { clockTime, dateTime, duration } from './say.ts'

/** A time that was chosen, and not measured: whole minutes, hours or days. */
function preset(ms: number): string {
  const minutes = ms / MINUTE_MS
  if (minutes < 60) return `${minutes} min`
  return minutes < 1440 ? `${minutes / 60} h` : plural(minutes / 1440, 'day', 'days')
}

/** Locks that an operator takes on purpose. */
export const holds = {
  holds: {
    title: 'Maintenance holds',
    countTitle: (n: number) => `${plural(n, 'lock', 'locks')} held or waited for`,
    list: 'Holds that go on',
    none: 'Nothing is held for maintenance',
    noneText: 'Hold a lock to keep the job that wants it from running.',
    failed: 'Holds cannot be told at the moment.',
    mayBeMore: 'There may be more holds than are shown here.',
    open: 'Hold a lock…',
    openThis: 'Hold…',
    showAll: 'Show maintenance holds',
    paletteOpen: 'Hold a lock for maintenance…',
    paletteThis: 'Hold this lock…',

    states: {
      held: 'Holding',
      waiting: 'Waiting',
      ended: 'Ended',
    } satisfies Record<MaintenanceHold['state'], string>,
    ends: {
      released: 'Released',
      'ran-out': 'Time was over',
      lost: 'Lost',
      'given-up': 'Given up',
    } satisfies Record<HoldEnd, string>,
    left: (ms: number) => `${duration(Math.max(0, ms))} left`,
    until: (time: number) => `until ${dateTime(time)}`,
    waitsUntil: (time: number) => `gives up at ${clockTime(time)}`,
    heldBy: (who: string) => `held by ${who}`,
    by: (who: string) => `by ${who}`,
    modes: {
      renewed: 'renewed while Lockkeeper runs',
      once: 'taken for the whole time',
    } satisfies Record<HoldMode, string>,
    elsewhere: 'kept by another console of this machine',
    problem: 'Not renewed at present.',
    inspect: (key: string) => `Inspect ${key}`,
    extend: 'Extend',
    extendOf: (key: string) => `Extend the hold on ${key}`,
    extendBy: (ms: number) => `${preset(ms)} longer`,
    preset,
    release: 'Release',
    stopWaiting: 'Stop waiting',
    working: 'Working…',
    notDone: 'Not done.',
    uncertain: 'It is not known for certain whether it was done.',
    ended: 'Ended',
    endedColumns: { key: 'Lock', store: 'Store', how: 'How', when: 'When', reason: 'Reason' },

    badge: 'Hold',
    badgeOurs: (reason: string) => `Maintenance hold: ${reason}`,
    badgeOthers: (who: string) => `Maintenance hold by ${who}`,
    ours: 'Held for maintenance',
    others: (who: string) =>
      `This lock is held for maintenance by ${who}. No job has it: ask there before you release it.`,

    dialog: 'Hold a lock',
    intro: 'Whoever wants this lock is kept out, as if another run had it.',
    store: 'Store',
    key: 'Key',
    there: {
      unknown: 'Looking what is there…',
      free: 'Free: nobody has it now.',
      expired: (who: string) => `Free to take: ${who} had it, and its time is over.`,
      heldBy: (who: string) => `Held by ${who}.`,
      heldByUntil: (who: string, until: number) =>
        `Held by ${who}, until ${dateTime(until)} unless it is renewed.`,
      unread: 'What is there cannot be read.',
    },
    format: 'Format',
    formatGuess: 'By the look of the key: the programs that use it must write the same format.',
    duration: 'For',
    own: 'Other',
    ownTime: 'How long',
    ownHint: 'Such as 90m, 2h or 1d; seven days at most',
    wrongTime: 'A time such as 90m, 2h or 1d, from 10 s to 7 d.',
    mode: 'How',
    modeNames: { renewed: 'Renewed', once: 'Whole time at once' } satisfies Record<HoldMode, string>,
    wait: 'Wait until it is free, and take it then',
    waitFor: 'Give up after',
    reason: 'Reason',
    reasonHint: 'Whoever finds it held sees this where the format has room; it goes into the audit log',
    typeName: (name: string) => `Type ${name} to confirm`,
    readOnly: 'This store is set to read-only in Lockkeeper. Nothing can be held in it.',
    noStore: 'No store is open.',
    refused: (who: string) => `Not taken: it is held by ${who}. You can wait for it.`,
    refusedNobody: 'Not taken: somebody else has it. You can wait for it.',
    confirm: 'Hold',
    confirmWait: 'Wait for it',
    held: (until: number) => `Held until ${dateTime(until)}.`,
    waiting: (until: number) => `Waiting for it, until ${dateTime(until)} at the latest.`,
    showHolds: 'Show holds',
    afterRelease: 'Keep it from being taken again: hold…',
  },
}
