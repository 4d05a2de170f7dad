import type { Severity } from '../../../shared/alert-rule.ts'
import { MINUTE_MS } from '../../../shared/duration.ts'
import { plural } from '../../../shared/numbers.ts'
import { dateTime, numbers, span } from './say.ts'

/** What an operator is warned of. What the rules themselves say is in shared/alert-rules.ts. */
export const alerts = {
  alerts: {
    title: 'Alerts',
    countTitle: (open: number, unacknowledged: number) =>
      `${plural(open, 'alert', 'alerts')}, ${numbers.format(unacknowledged)} not acknowledged`,
    severities: {
      critical: 'Critical',
      warning: 'Warning',
      notice: 'Notice',
    } satisfies Record<Severity, string>,
    chip: (n: number) => plural(n, 'alert', 'alerts'),
    rowMark: (titles: readonly string[]) => `Alert: ${titles.join('; ')}`,
    documentTitle: (n: number) => `(${numbers.format(n)}) Lockkeeper`,
    announceOne: (headline: string) => `New critical alert: ${headline}.`,
    announceMany: (n: number) => `${numbers.format(n)} new critical alerts.`,

    loading: 'Reading alerts…',
    failed: 'Alerts cannot be told at the moment.',
    problem: 'The rules or mutes could not be read or kept.',
    calm: 'Nothing to warn of',
    calmText: (rules: number) =>
      `${plural(rules, 'rule is', 'rules are')} watching the stores that are open.`,
    openList: 'Alerts that go on',
    locks: (n: number) => plural(n, 'lock', 'locks'),
    since: (at: number, ms: number) => `since ${dateTime(at)} (${span(Math.max(0, ms))})`,
    alertSince: (ms: number) => span(Math.max(0, ms)),
    times: (n: number) => (n > 1 ? `${numbers.format(n)} times` : ''),
    next: 'What to do next',
    affected: 'Locks concerned',
    showAll: (n: number) => `Show all ${numbers.format(n)}`,
    unlisted: (n: number) => `${numbers.format(n)} more are not listed.`,
    acknowledged: (by: string, reason: string, at: number) =>
      `Acknowledged by ${by}, ${dateTime(at)}: ${reason}`,
    acknowledge: 'Acknowledge…',
    mute: 'Mute…',
    actions: (key: string) => `Actions for ${key}`,
    timelineOf: (key: string) => `Timeline of ${key}`,
    storeItself: 'the store itself',

    ended: 'Ended in the last day',
    endedColumns: { alert: 'Alert', lock: 'Lock', store: 'Store', time: 'When', note: 'Acknowledged' },
    endedTime: (from: number, until: number) =>
      `${dateTime(from)} – ${dateTime(until)} (${span(until - from)})`,
    mutes: 'Muted',
    muteOf: (rule: string, where: string) => `${rule}, ${where}`,
    anyRule: 'Every rule',
    anywhere: 'everywhere',
    inStore: (store: string) => `in ${store}`,
    ofLock: (key: string, store: string) => `${key} in ${store}`,
    muteUntil: (until: number | null) => (until === null ? 'until it is ended' : `until ${dateTime(until)}`),
    muteBy: (by: string, reason: string) => `${by}: ${reason}`,
    muting: (n: number) => `${plural(n, 'alert', 'alerts')} silent`,
    endMute: 'End',

    acknowledgeTitle: (n: number) =>
      n === 1 ? 'Acknowledge alert' : `Acknowledge ${numbers.format(n)} alerts`,
    acknowledgeText:
      'It stays in the list until it ends, and is no longer counted in the badge. Who and why goes into the audit log.',
    reason: 'Reason',
    reasonHint: 'What you found, or who looks after it',
    confirmAcknowledge: 'Acknowledge',
    muteTitle: 'Mute alert',
    muteText: 'Muted alerts aren’t counted and send no notifications. Nothing changes in the store.',
    muteWhat: 'What',
    muteWhats: {
      lock: (key: string) => `This rule for ${key}`,
      store: (store: string) => `This rule in ${store}`,
      everywhere: 'This rule everywhere',
    },
    muteFor: 'For how long',
    muteFors: { hour: '1 hour', shift: '8 hours', open: 'Until I end it' },
    confirmMute: 'Mute',
    gone: 'This alert has ended.',
    failedToSave: 'Not done.',

    rules: 'Rules…',
    rulesTitle: 'Rules for alerts',
    rulesFor: 'For',
    rulesForAll: 'All stores',
    percent: '% of the lease',
    unitNames: { s: 's', min: 'min', h: 'h' },
    timesIn: (ms: number) => `times in ${numbers.format(ms / MINUTE_MS)} min`,
    unitOf: (label: string) => `Unit of ${label}`,
    usual: 'Usual',
    usualTitle: (rule: string) => `Use what is usual for: ${rule}`,
    inherited: 'As for all',
    notify: 'Desktop notifications',
    notifyWindow:
      'New alerts are shown by this computer’s notifications, at most one a minute for each rule and store.',
    notifyBrowser: 'This browser shows new alerts while the page is open, and asks you to allow it first.',
    notifyDenied: 'This browser does not allow notifications from this page.',
    notifyAllow: 'Allow in this browser',
    save: 'Save',
    saving: 'Saving…',
    ruleInput: (what: string, rule: string) => `${what}: ${rule}`,
    wrongNumber: {
      fraction: '1 to 100 %',
      times: 'a whole number, 1 or more',
      ms: 'a number, 0 or more',
      for: '0 to 24 h',
    },
    notSaved: (n: number) => `Not to be saved like that: ${plural(n, 'number is', 'numbers are')} wrong.`,
    wrongAt: (where: string, rule: string, label: string) => `${where}, ${rule}, ${label.toLowerCase()}:`,
  },
}
