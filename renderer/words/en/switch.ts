import { plural } from '../../../shared/numbers.ts'
import type { Arrival, Check, Remaining, SideNow } from '../../../shared/switch.ts'
import { clockTime, dateTime, duration, numbers, span } from './say.ts'

const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const names = new Intl.ListFormat('en', { type: 'conjunction' })

/** The change from one lock provider to another. */
export const providerSwitch = {
  switch: {
    navMark: (n: number, of: number) => `${n} of ${of}`,
    navMany: (n: number) => numbers.format(n),
    navTitle: 'Under way',
    command: 'Switch lock provider…',
    title: 'Provider switch',
    failed: 'The list of switches could not be read.',
    loading: 'Looking for switches…',

    start: {
      title: 'From one lock provider to another',
      text: 'Two stores never see each other’s locks. A change of LOCK_PROVIDER is safe only while no program works under the old one: this walks you through it, looks at both stores all the time, and changes nothing without asking.',
      from: 'In use today',
      to: 'From then on',
      embedded: 'Lives in this program alone: no other program can use it.',
      sameStore: 'It is the one in use today.',
      notOpen: 'Not open here.',
      quiet: 'Workers count as stopped after',
      quiets: { 30000: '30 s', 60000: '1 min', 300000: '5 min', 900000: '15 min' },
      quietHint: 'without any lock taken or renewed. Longer than the longest pause between two runs is safe.',
      begin: 'Begin',
      goOn: 'Go on with it',
      already: 'A switch between these two is under way.',
      failed: 'Not started.',
      tooFew: 'Two stores are needed',
      tooFewText:
        'A switch goes from one store to another. Add the one that is in use today and the one that is to take over.',
      addStore: 'Add a store…',
      one: 'Only one store here can be a provider for other programs. Add the other one.',
    },
    list: {
      title: 'Switches',
      columns: { between: 'From, to', begun: 'Started', state: 'State', action: 'Action' },
      between: (from: string, to: string) => `${from} → ${to}`,
      begun: (at: number, by: string) => `${dateTime(at)} by ${by}`,
      underWay: (n: number, title: string) => `under way, step ${n}: ${title}`,
      finished: (at: number) => `finished ${dateTime(at)}`,
      abandoned: (at: number) => `abandoned ${dateTime(at)}`,
      resume: 'Go on',
      look: 'Look at it',
      actionOf: (action: string, between: string) => `${action}: ${between}`,
      all: 'All switches',
    },

    steps: 'Steps',
    heading: (n: number, of: number) => `Step ${n} of ${of}`,
    places: {
      checked: 'done',
      'by-hand': 'passed by hand',
      slipped: 'no longer so',
      current: 'now',
      'to-come': 'to come',
    },
    passedAt: (at: number) => `done ${clockTime(at)}`,
    byHandAt: (at: number) => `by hand ${clockTime(at)}`,
    byHandWhy: (reason: string) => `By hand: ${reason}`,
    already: 'already so',
    optional: 'optional',
    checkNames: {
      met: 'check met',
      'not-yet': 'check not met yet',
      unknown: 'unknown',
    } satisfies Record<Check['is'], string>,
    checkSince: (at: number) => `since ${clockTime(at)}`,
    announce: (title: string, said: string) => `${title}: ${said}`,
    announceSplit: (key: string) => `${key} is held in both stores at once.`,
    announceStray: (key: string) => `${key} was taken in the old store though its workers had stopped.`,
    connecting: 'Looking at both stores…',
    lost: 'This switch no longer sends updates.',
    begunBy: (at: number, by: string) => `started ${dateTime(at)} by ${by}`,

    pass: (title: string) => `Go on: ${title}`,
    finish: 'Finish',
    passing: 'One moment…',
    anyway: 'Go on anyway…',
    leave: 'Leave them and go on…',
    elsewhere: 'I change it elsewhere…',
    anywayText: 'Its check is not met. Why you go on goes into the report and the audit log.',
    reason: 'Reason',
    confirmAnyway: 'Go on without the check',
    failedToPass: 'Still at this step.',
    back: 'Go back to this step',
    backText: 'What was done in later steps stays as it is; they are walked again from here.',
    toCurrent: (title: string) => `To the step that is due: ${title}`,
    later: 'This step comes later.',
    abandon: 'Abandon…',
    abandonTitle: 'Abandon this switch',
    abandonText:
      'The switch ends here. Nothing is restored: changes to the file and released locks stay as they are.',
    confirmAbandon: 'Abandon',
    failedToAbandon: 'Not abandoned.',

    down: (name: string, asOf: number | null, why: string) =>
      asOf === null
        ? `${name} does not answer, and nothing of it was read yet. ${why}`
        : `${name} does not answer. What is shown of it is as of ${clockTime(asOf)}. ${why}`,
    closed: (name: string) => `${name} is not open here: nothing can be said about it.`,
    openStore: (name: string) => `Open ${name}`,
    stale: (name: string, asOf: number | null, why: string) =>
      asOf === null
        ? `${name} is being read for the first time. ${why}`
        : `${name} is behind: what is shown of it is as of ${clockTime(asOf)}. ${why}`,

    understand: {
      compare: 'Both providers now',
      today: 'in use today',
      afterwards: 'from then on',
      measure: 'What',
      nothing: '–',
      perMinute: (n: number) => tenths.format(n),
      means: 'What it means here',
      statuses: {
        live: 'live',
        stale: 'stale',
        down: 'down',
        closed: 'not open',
      } satisfies Record<SideNow['status'], string>,
      advantages: 'Pros',
      considerations: 'To consider',
    },

    stop: {
      quiet: 'Quiet for',
      quietFor: (ms: number, of: number) => `${duration(ms)} of ${duration(of)}`,
      quietDone: (ms: number) => `nothing happened for ${span(ms)}`,
      notWatched: 'not watched at present',
      arrivals: 'What still arrives',
      noArrivals: 'No worker took or renewed a lock since it is watched.',
      watchedSince: (at: number) => `watched since ${clockTime(at)}`,
      columns: { what: 'What', holder: 'Holder', key: 'Key', ago: 'When' },
      whats: { acquired: 'taken', renewed: 'renewed' } satisfies Record<Arrival['what'], string>,
      ago: (ms: number) => (ms < 1500 ? 'just now' : `${span(ms)} ago`),
      atWork: (holders: string) => `Still at work: ${holders}.`,
      holders: (named: readonly string[], more: number) =>
        names.format(more > 0 ? [...named, `${numbers.format(more)} more`] : named),
      unnamed: 'a holder without a name',
    },

    drain: {
      heldWord: (n: number) => (n === 1 ? 'lock is held' : 'locks are held'),
      of: (n: number) => `of ${numbers.format(n)} when the workers had stopped`,
      gauge: 'Drained',
      gaugeSaid: (held: number, of: number) =>
        `${numbers.format(of - held)} of ${numbers.format(of)} have ended`,
      remaining: 'Still held',
      columns: { key: 'Key', holder: 'Holder', held: 'Held for', ends: 'Ends in', why: 'Why it is there' },
      whys: {
        ends: 'ends by itself',
        'never-ends': 'has no expiry',
        'far-away': 'ends far in the future',
        hold: 'an operator holds it: release it before cleaning',
      } satisfies Record<Exclude<Remaining['why'], 'renewed'>, string>,
      renewed: (n: number) =>
        n > 0 ? `its holder extends it, ${plural(n, 'time', 'times')} so far` : 'its holder extends it',
      never: 'never',
      ended: 'ended, waiting to be read',
      wont: (n: number, isMore: boolean, holders: string) =>
        `${isMore ? 'At least ' : ''}${numbers.format(n)} will not end soon: held by ${holders}. Stop a holder that extends its lock; open a lock that nobody ends to release it.`,
      last: (at: number, ms: number) => `The last of the others ends ${dateTime(at)}, in ${duration(ms)}.`,
      holds: (n: number) =>
        n === 1
          ? 'One of them is a maintenance hold. No worker has it: it keeps nobody from going on here, and has to be released before the old store is clean.'
          : `${numbers.format(n)} of them are maintenance holds. No worker has them: they keep nobody from going on here, and have to be released before the old store is clean.`,
      notListed: (n: number) => `${numbers.format(n)} more are not listed.`,
      unknownAge: '–',
    },

    change: {
      file: 'File with the settings',
      fileHint: 'The .env that your programs read, on the machine where Lockkeeper runs',
      look: 'Show the difference',
      lookAgain: 'Show it again',
      lookAway: 'Look at no file',
      difference: 'What would change',
      line: (n: number) => `line ${n}`,
      others: 'All other lines stay as they are, and are not shown: they may be secrets.',
      copy: 'The file as it is now is kept as',
      apply: 'Change the file and keep a copy',
      applying: 'Changing…',
      already: (value: string) =>
        `The file says LOCK_PROVIDER=${value} already. There is nothing to change in it.`,
      refused: 'The file was not changed.',
      uncertain: 'It may have been changed: see what the file says now.',
      noPreview: 'There is nothing to show.',
      done: (at: number, by: string) => `Changed ${dateTime(at)} by ${by}`,
      copyAt: 'Copy of the file as it was',
      live: 'In the file now',
      liveNothing: 'LOCK_PROVIDER is not set',
      liveProblem: 'The file cannot be read.',
      byHand:
        'Or change it yourself: every program that takes these locks must have this line before it is started again.',
      variables: 'Variables that say where it is',
      wantedLine: 'The line',
      copyLine: 'Copy',
    },

    clean: {
      left: 'Left in the old store',
      held: 'Held',
      expired: 'Expired, still stored',
      unrecognised: 'Unrecognised records',
      unrecognisedNote: 'No format knows them, so Lockkeeper does not touch them.',
      plan: 'Make a release plan…',
      planHint: 'It is shown first. Nothing is released before you confirm it.',
      making: 'Release what is left',
      makingText: 'Reading what is left in the old store…',
      empty: 'Nothing is left in the old store.',
      plans: (n: number) => `${plural(n, 'plan was', 'plans were')} made for this switch.`,
      readOnly: (name: string) =>
        `${name} is read-only here: release it with a console that may, or leave it.`,
    },

    restart: {
      waiting: (name: string) => `Waiting for a worker in ${name}`,
      waitingFor: (ms: number) => `for ${duration(ms)}`,
      came: (name: string, at: number) => `A worker took or renewed a lock in ${name} ${clockTime(at)}.`,
    },

    verify: {
      newHeld: 'Held in the new store',
      newRate: 'Taken in the new store a minute',
      oldHeld: 'Held in the old store',
      splits: 'Held in both',
      oldQuiet: 'The old store is quiet',
      seen: 'A name was held in both stores since the workers were started. That is over, but whatever did it may do it again.',
    },

    trouble: {
      splitTitle: (n: number) =>
        n === 1
          ? 'One name is held in both stores at once'
          : `${numbers.format(n)} names are held in both stores at once`,
      splitText:
        'Two programs each believe that they are alone: the same job may be running twice. Find out which run is right, stop the other, then release its lock.',
      strayTitle: (n: number, mayBeMore: boolean) =>
        n === 1 && !mayBeMore
          ? 'A lock was taken in the old store after its workers had stopped'
          : `${mayBeMore ? 'At least ' : ''}${plural(n, 'lock was', 'locks were')} taken in the old store after its workers had stopped`,
      strayText:
        'A worker was not stopped, or was started with the old setting. It does not see the locks of the others: find it by its name and stop it before you go on.',
      columns: { name: 'Name', key: 'Key', holder: 'Holder', since: 'Since', when: 'When' },
      inStore: (store: string) => `In ${store}`,
      more: (n: number) => `${numbers.format(n)} more`,
      backToStop: 'Back to stopping the workers',
      compare: 'Look at both',
      why: 'Why two providers at once break',
    },

    summary: {
      finished: 'Finished',
      byHand: 'Finished by hand',
      abandoned: 'Abandoned',
      finishedText: (from: string, to: string, ms: number) =>
        `Locks moved from ${from} to ${to} in ${span(ms)}.`,
      abandonedText: (title: string, ms: number) => `It was given up at “${title}” after ${span(ms)}.`,
      endedBy: (at: number, by: string) => `${dateTime(at)} by ${by}`,
      reason: (reason: string) => `Reason: ${reason}`,
      steps: 'What was done',
      columns: { step: 'Step', at: 'When', by: 'By', how: 'How', held: 'Held old, new' },
      byCheck: 'by its check',
      held: (from: string, to: string) => `${from}, ${to}`,
      unknown: '?',
      env: 'Settings',
      envLine: (before: string, after: string) => `${before} → ${after}`,
      unset: 'not set',
      straysSaid: (n: number) =>
        n === 0
          ? 'No lock was taken in the old store after its workers had stopped.'
          : `${plural(n, 'lock was', 'locks were')} taken in the old store after its workers had stopped.`,
      splitsSaid: (n: number) =>
        n === 0
          ? 'No name was seen to be held in both stores at once.'
          : `${plural(n, 'name was', 'names were')} held in both stores at once.`,
      again: 'Start another',
    },
    report: {
      title: 'Report',
      text: 'Every step with its time and its numbers, what was changed and where the copies are, strays and names that were held twice.',
      format: 'Format',
      formats: { md: 'Markdown', html: 'HTML', json: 'JSON' },
      save: 'Save the report',
      saving: 'Writing…',
      failed: 'The report was not written.',
      saved: (name: string) => `Saved to your downloads: ${name}`,
      handedOver: (name: string) => `${name} is ready. The window asks where to keep it.`,
    },
  },
}
