import { plural } from '../../../shared/numbers.ts'
import type { ReportFormat } from '../../../shared/reports.ts'
import { numbers } from './say.ts'

/** The report of an incident. */
export const report = {
  report: {
    nav: 'Report…',
    open: 'Write a report…',
    title: 'Report',
    text: 'What happened, for somebody who was not there: stores, statistics, locks that needed attention, what was done.',
    window: 'Time',
    presets: {
      '15m': '15 min',
      '1h': '1 hour',
      '6h': '6 hours',
      '24h': '24 hours',
      custom: 'Other',
    },
    from: 'From',
    to: 'To',
    localTime: 'In your local time; the report tells times in UTC.',
    badWindow: 'The end must be after the beginning.',
    filter: 'Locks',
    filterHint: 'As in the table’s filter. Empty: all locks.',
    stores: 'Stores',
    noStore: 'Choose at least one store.',
    name: 'Title',
    summary: 'Summary',
    summaryHint: 'What you want to say first. Secrets in it are left out, too.',
    tokens: 'Include tokens and fences',
    tokensHint: 'Left out unless you need them. Passwords always are.',
    tokensWarning:
      'Whoever has a token can pose as the holder of a lock. Hand this report only to those who may.',
    format: 'Format',
    formats: {
      html: 'HTML',
      pdf: 'PDF',
      md: 'Markdown',
      json: 'JSON',
      csv: 'CSV',
    } satisfies Record<ReportFormat, string>,
    about: {
      html: 'One file with charts, for any browser. Prints well.',
      pdf: 'Pages with charts. Of the list at the end, the first 5,000 locks.',
      md: 'Text with tables, for a ticket or a wiki.',
      json: 'Everything, for programs. The schema is documented.',
      csv: 'One table for a spreadsheet. No cell is a formula.',
    } satisfies Record<ReportFormat, string>,
    printAbout:
      'Your browser’s print dialog can save it as a PDF. Of the list at the end, the first 5,000 locks.',

    preview: 'Preview of the report',
    previewNote: (locks: number) => `Preview, with the first ${numbers.format(locks)} locks at most`,
    previewing: 'Looking…',
    update: 'Update preview',
    stale: 'You have changed something since.',
    previewFailed: 'There is no preview.',

    save: 'Save',
    print: 'Print…',
    gathering: 'Looking at the stores…',
    written: (done: number, of: number) => `${numbers.format(done)} of about ${plural(of, 'lock', 'locks')}`,
    layingOut: 'Laying out the pages…',
    progress: 'Locks written',
    failed: 'The report was not written.',
    cancelled: 'Cancelled. Nothing was saved.',
    saved: (name: string, locks: number) =>
      `Saved to your downloads: ${name}, with ${plural(locks, 'lock', 'locks')}.`,
    handedOver: (name: string, locks: number) =>
      `${name} is ready, with ${plural(locks, 'lock', 'locks')}. The window asks where to keep it, and tells you if it cannot be written there.`,
    printed: (locks: number) =>
      `The report with ${plural(locks, 'lock', 'locks')} was given to the print dialog.`,
    unread: (store: string, why: string) => `Not all of ${store} could be read: ${why}`,
  },
}
