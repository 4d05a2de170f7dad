import type { AuditEvent, AuditFile, AuditVerdict } from '../../../shared/audit.ts'
import { plural } from '../../../shared/numbers.ts'
import { numbers } from './say.ts'

/** The audit log. */
export const audit = {
  audit: {
    nav: 'Audit log',
    open: 'Open audit log',
    title: 'Audit log',
    text: 'Every request and its outcome, newest first.',
    list: 'Entries of the audit log',
    filter: 'Filter the audit log',
    filterHint: 'Words, or user: store: key: plan: action: event: outcome:',
    columns: {
      at: 'Time',
      who: 'Who',
      what: 'What',
      store: 'Store',
      key: 'Lock',
      outcome: 'Outcome',
      reason: 'Reason',
    },
    events: {
      intent: 'requested',
      acting: 'about to act',
      settled: 'result',
      outcome: 'outcome',
      'dry-run': 'plan made',
      settings: 'settings',
      chain: 'log started',
    } satisfies Record<AuditEvent, string>,
    who: (user: string, host: string) => `${user} on ${host}`,
    what: (event: string, method: string) => `${event} · ${method}`,
    failed: (code: string, message: string) => `${code}: ${message}`,
    expand: (at: string) => `Show the whole entry of ${at}`,
    loading: 'Reading…',
    more: 'Older entries',
    end: 'This is the oldest entry.',
    none: 'No entry matches.',
    unreadable: (n: number) =>
      n === 1
        ? '1 line is not an entry: the log is damaged there.'
        : `${numbers.format(n)} lines are not entries: the log is damaged there.`,
    listFailed: 'The log could not be read.',

    verify: 'Verify',
    verifying: 'Verifying…',
    verdict: 'Result of verifying',
    verifyFailed: 'The log could not be verified.',
    intact: (lines: number, files: number) =>
      `The chain holds: ${plural(lines, 'line', 'lines')} in ${plural(files, 'file', 'files')}.`,
    damaged: (files: number) =>
      files === 0
        ? 'The log is damaged.'
        : `The log is damaged: ${plural(files, 'file is', 'files are')} not as written.`,
    incomplete: 'Lines may be missing: the log alone cannot tell.',
    states: {
      ok: 'intact',
      damaged: 'damaged',
      missing: 'missing',
      unchained: 'without a chain: cannot be verified',
    } satisfies Record<AuditFile['state'], string>,
    file: (name: string, state: string, lines: number) =>
      `${name}: ${state}, ${plural(lines, 'line', 'lines')}`,
    damage: (line: number | null, why: string) =>
      line === null ? why : `Line ${numbers.format(line)}: ${why}`,
    moreDamages: (n: number) => `${numbers.format(n)} more`,
    head: {
      ok: 'The end of the log is where it should be.',
      behind: 'Lines were written after the recorded end, as after a crash.',
      ahead: 'Lines at the end are missing or changed.',
      missing: 'The record of where the log ends is missing.',
      unreadable: 'The record of where the log ends cannot be read.',
      'none-yet': 'There is no log here.',
    } satisfies Record<AuditVerdict['head']['status'], string>,
    keep: (file: string, seq: number) =>
      `Last line ${numbers.format(seq)} of ${file}. Keep its hash elsewhere to tell later that nothing before it was changed:`,
    begins: (why: string) => `(${why})`,
    files: 'Each file',
    whole: 'The whole entry',
    copyHash: 'Copy hash',
  },
}
