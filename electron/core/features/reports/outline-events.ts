import { RULE_WORDS } from '../../../../shared/alert-words.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { ReportEnd, ReportHead } from '../../../../shared/report-document.ts'
import type { Block, Cell, Tone } from './block.ts'
import { cutData } from './html-text.ts'
import { isDone, sayMethod, sayOutcome, sayResult, sayTime, unstopped } from './words.ts'

const SEVERITIES: Record<string, Tone> = { critical: 'danger', warning: 'warn', notice: 'quiet' }

const UNKNOWN = 'Nothing is known of alerts in the window: they are found while a console runs.'

export function alertBlocks({ alerts, asked }: ReportHead): Block[] {
  if (alerts === null) return []
  const { listed, more, left, knownSince, advice } = alerts
  return [
    { is: 'heading', text: 'Alerts', level: 2 },
    ...(listed.length === 0
      ? [{ is: 'text' as const, text: knownSince > asked.to ? UNKNOWN : 'There were none in the window.' }]
      : [
          {
            is: 'table' as const,
            name: 'Alerts',
            columns: [
              { title: 'Severity', share: 10 },
              { title: 'From, to', share: 18 },
              { title: 'Store and lock', share: 24 },
              { title: 'What', share: 40 },
              { title: 'Acknowledged', share: 18 },
            ],
            rows: listed.map((alert): Cell[] => [
              { text: alert.severity, tone: SEVERITIES[alert.severity] },
              {
                text: `${sayTime(alert.since)} to ${alert.until === null ? 'now' : sayTime(alert.until)}${alert.count > 1 ? `, ${sayNumber(alert.count)} times` : ''}`,
                as: 'time',
              },
              { text: alert.key === null ? alert.store : `${alert.store}: ${cutData(alert.key)}` },
              { text: `${RULE_WORDS[alert.rule].title}. ${alert.says}` },
              {
                text: alert.acknowledged
                  ? `${alert.acknowledged.by}: ${alert.acknowledged.reason}`
                  : alert.muted
                    ? 'muted'
                    : '',
              },
            ]),
          },
        ]),
    ...advice.map(
      ({ rule, next }): Block => ({
        is: 'entry',
        key: RULE_WORDS[rule].title,
        isOurs: true,
        tags: [{ text: 'what to do', tone: 'quiet' }],
        texts: [],
        list: next,
      }),
    ),
    ...[
      ...(more > 0 ? [`And ${plural(more, 'earlier alert', 'earlier alerts')}.`] : []),
      ...(left > 0 ? [`${plural(left, 'alert that ended is', 'alerts that ended are')} kept no more.`] : []),
      ...(knownSince > asked.from && knownSince <= asked.to
        ? [`Alerts are known since ${sayTime(knownSince)} only.`]
        : []),
    ].map((text): Block => ({ is: 'text', text, quiet: true })),
  ]
}

export function actionBlocks({ actions }: ReportHead): Block[] {
  const { listed, more, elsewhere, unreadable } = actions
  return [
    { is: 'heading', text: 'Actions', level: 2 },
    ...auditBlocks(actions),
    ...(listed.length === 0
      ? [{ is: 'text' as const, text: 'Nothing was done or decided in the window, as far as the log says.' }]
      : [
          {
            is: 'table' as const,
            name: 'Actions',
            columns: [
              { title: 'When', share: 15 },
              { title: 'Who', share: 15 },
              { title: 'What', share: 14 },
              { title: 'Lock or plan', share: 24 },
              { title: 'Store', share: 14 },
              { title: 'Why', share: 22 },
              { title: 'What came of it', share: 24 },
            ],
            rows: listed.map((action): Cell[] => [
              { text: sayTime(action.at), as: 'time' },
              { text: `${action.user} on ${action.host}` },
              { text: sayMethod(action.method) },
              { text: cutData(action.key ?? action.plan ?? ''), as: 'code' },
              { text: action.stores.join(', ') },
              { text: action.reason ?? '' },
              { text: sayResult(action), tone: isDone(action) ? undefined : 'warn' },
            ]),
          },
        ]),
    ...listed.flatMap((action): Block[] =>
      action.notDone.length === 0
        ? []
        : [
            {
              is: 'entry',
              key: action.plan ?? action.action,
              tags: [{ text: 'not done', tone: 'warn' }],
              texts: [],
              list: [
                ...action.notDone.map(
                  ({ key, outcome, message }) =>
                    `${cutData(key)}: ${sayOutcome(outcome)}${message === null ? '' : ` (${message})`}`,
                ),
                ...(action.moreNotDone > 0 ? [`and ${sayNumber(action.moreNotDone)} more`] : []),
              ],
            },
          ],
    ),
    ...[
      ...(more > 0 ? [`And ${plural(more, 'earlier action', 'earlier actions')}.`] : []),
      ...(elsewhere > 0
        ? [
            `${plural(elsewhere, 'action', 'actions')} in other stores ${elsewhere === 1 ? 'is' : 'are'} not listed.`,
          ]
        : []),
      ...(unreadable > 0 ? [`${plural(unreadable, 'line', 'lines')} of the log could not be read.`] : []),
    ].map((text): Block => ({ is: 'text', text })),
  ]
}

/** The proof, first: what stands below is worth as much as the log. */
function auditBlocks({ audit }: ReportHead['actions']): Block[] {
  if (audit.ok === null)
    return [
      {
        is: 'notice',
        tone: 'danger',
        text: `The audit log could not be read or checked: ${unstopped(audit.says)}.`,
      },
    ]
  if (!audit.ok)
    return [
      {
        is: 'notice',
        tone: 'danger',
        text: `The audit log is damaged. ${unstopped(audit.says)}. What stands here is what it says now, and may not be what was written.`,
      },
      {
        is: 'entry',
        key: audit.file ?? 'audit log',
        tags: [{ text: 'damaged', tone: 'danger' }],
        texts: [],
        list: audit.damages.map(
          ({ file, line, why }) => `${file}${line === null ? '' : `, line ${line}`}: ${why}`,
        ),
      },
    ]
  return [
    {
      is: 'facts',
      facts: [
        [
          'Audit log',
          {
            text: `as it was written: ${plural(audit.lines, 'line', 'lines')}, each proved by the hash of the one before`,
            tone: 'live',
          },
        ],
        ...(audit.hash === null
          ? []
          : ([[`Hash of line ${audit.seq ?? ''}`, { text: audit.hash, as: 'code' }]] as [string, Cell][])),
      ],
    },
  ]
}

/** What stands under the list of locks. */
export function endBlocks(end: ReportEnd): Block[] {
  return [
    ...(end.locks === 0 && end.unlisted === 0 && end.complete
      ? [{ is: 'text' as const, text: 'There were none.' }]
      : []),
    ...(end.unlisted > 0
      ? [
          {
            is: 'text' as const,
            text: `And about ${plural(end.unlisted, 'more lock', 'more locks')}, which this report leaves out.`,
          },
        ]
      : []),
    ...end.unread.map(
      ({ store, message }): Block => ({
        is: 'notice',
        tone: 'danger',
        text: `Not all of ${store} could be read, so its locks are not all in this list: ${unstopped(message)}.`,
      }),
    ),
    {
      is: 'text',
      text: `${plural(end.locks, 'lock', 'locks')} listed${end.unrecognised > 0 ? `; ${plural(end.unrecognised, 'record was', 'records were')} not understood` : ''}. Read to the end at ${sayTime(end.at)} UTC.`,
      quiet: true,
    },
  ]
}
