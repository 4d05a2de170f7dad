import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { ReportHead, ReportLock } from '../../../../shared/report-document.ts'
import type { Block, Cell, Column } from './block.ts'
import { cutData } from './html-text.ts'
import { actionBlocks, alertBlocks } from './outline-events.ts'
import { figureBlocks, gapBlocks, storeBlocks } from './outline-stores.ts'
import { tilesOf } from './tiles.ts'
import { STATES, sayHold, sayTime, sayWindow, unstopped } from './words.ts'

/** Everything before the list of all locks, in the order in which it is read. */
export function outline(head: ReportHead): Block[] {
  return [
    ...opening(head),
    ...storeBlocks(head),
    ...figureBlocks(head),
    ...gapBlocks(head),
    ...attentionBlocks(head),
    ...alertBlocks(head),
    ...actionBlocks(head),
    { is: 'heading', text: 'All locks', level: 2 },
    {
      is: 'text',
      text:
        head.asked.filter === null
          ? 'Every lock of these stores, as they give them, when this report was written.'
          : `Every lock that the filter ${head.asked.filter} lets through, when this report was written.`,
      quiet: true,
    },
  ]
}

export function titleOf({ asked }: ReportHead): string {
  return asked.title ?? 'Incident report'
}

function opening(head: ReportHead): Block[] {
  const { asked, tool, stores } = head
  const tokens = asked.withTokens ? 'in it, as they are' : 'left out'
  return [
    {
      is: 'title',
      text: titleOf(head),
      under: `Lock report of ${sayWindow(asked.from, asked.to)}`,
    },
    ...(asked.summary?.split(/\r?\n/) ?? []).flatMap((text): Block[] =>
      text.trim() === '' ? [] : [{ is: 'text', text: text.trim() }],
    ),
    ...notices(head),
    { is: 'tiles', tiles: tilesOf(head) },
    { is: 'heading', text: 'What was asked', level: 2 },
    {
      is: 'facts',
      facts: [
        ['Window', { text: sayWindow(asked.from, asked.to) }],
        ['Filter', asked.filter === null ? { text: 'none: all locks' } : { text: asked.filter, as: 'code' }],
        [
          'Stores',
          { text: stores.length === 0 ? 'none was open' : stores.map(each => each.name).join(', ') },
        ],
        ['Asked by', { text: `${asked.by.user} on ${asked.by.host}` }],
        ['Written', { text: `${sayTime(asked.at)} UTC, with Lockkeeper ${tool.version}` }],
        [
          'Clock',
          {
            text: `Times are UTC by the clock of ${asked.by.host}; the beginning and end of a lock are by the clock of its store.`,
          },
        ],
        ['Tokens and fences', { text: tokens }],
      ],
    },
  ]
}

/** What a reader has to know before believing the rest. */
function notices({ asked, stores, figures, actions, history }: ReportHead): Block[] {
  const { audit } = actions
  const nothingSeen = history.series.every(({ points }) => points.every(point => point === null))
  return [
    ...(asked.withTokens
      ? [
          notice(
            'warn',
            'This report has tokens and fences in it: whoever has a token can pose as the holder of a lock.',
          ),
        ]
      : []),
    ...stores.flatMap(({ name, error, asOf }) =>
      error === null
        ? []
        : [
            notice(
              'danger',
              `${name} could not be read: ${unstopped(error.message)}. ${asOf === null ? 'Nothing is known of its locks now' : `What is said of its locks is as of ${sayTime(asOf)} UTC`}.`,
            ),
          ],
    ),
    ...(audit.ok === false
      ? [notice('danger', 'The audit log is damaged: what is said about actions cannot be relied on.')]
      : audit.ok === null
        ? [notice('danger', `The audit log could not be read or checked: ${unstopped(audit.says)}.`)]
        : []),
    ...(stores.length > 0 && nothingSeen && figures.overall.observedMs === 0
      ? [
          notice(
            'warn',
            'Nobody was watching these stores in this window: there is no history, and what happened then is not known. What is said of locks is as of now.',
          ),
        ]
      : []),
  ]
}

function notice(tone: 'danger' | 'warn', text: string): Block {
  return { is: 'notice', tone, text }
}

function attentionBlocks({ attention, figures }: ReportHead): Block[] {
  const { locks, more } = attention
  const none =
    figures.overall.counts === null
      ? 'Not known: none of the stores could be read, and nothing was seen of them before.'
      : 'None, as far as anybody looked.'
  return [
    { is: 'heading', text: 'Locks that needed attention', level: 2 },
    ...(locks.length === 0 ? [{ is: 'text' as const, text: none }] : []),
    ...locks.map(
      (lock): Block => ({
        is: 'entry',
        key: cutData(lock.key),
        tags: [
          lock.ended
            ? { text: 'ended', tone: 'quiet' }
            : { text: STATES[lock.state].name, tone: STATES[lock.state].tone },
          { text: lock.store },
          { text: lock.format, tone: 'quiet' },
        ],
        texts: [lock.says, ...lock.notes.map(cutData)],
        list: [
          ...(lock.earlierHolds > 0 ? [`${plural(lock.earlierHolds, 'holder', 'holders')} before`] : []),
          ...lock.holds.map(sayHold),
        ],
      }),
    ),
    ...(more > 0 ? [{ is: 'text' as const, text: `And ${sayNumber(more)} more.` }] : []),
  ]
}

/** The list that is written as it comes. */
export function lockColumns(withTokens: boolean): Column[] {
  return [
    { title: 'State', share: 9 },
    { title: 'Key', share: 32 },
    { title: 'Holder', share: 22 },
    { title: 'Held since', share: 15 },
    { title: 'Ends', share: 15 },
    { title: 'Store, format', share: 16 },
    ...(withTokens ? [{ title: 'Token and fence', share: 24 }] : []),
  ]
}

export function lockCells(lock: ReportLock): Cell[] {
  const { name, tone } = STATES[lock.state]
  return [
    { text: name, tone },
    { text: cutData(lock.key), as: 'code' },
    lock.holder === null ? { text: 'not recorded', tone: 'quiet' } : { text: lock.holder, as: 'code' },
    { text: lock.since === null ? '' : `${lock.sinceExact ? '' : 'before '}${sayTime(lock.since)}` },
    { text: lock.expiresAt === null ? ENDS[lock.lease] : sayTime(lock.expiresAt) },
    { text: `${lock.store}, ${lock.format}` },
    ...(lock.fence === undefined
      ? []
      : [{ text: `${cutData(lock.owner ?? '')} ${lock.fence}`, as: 'code' as const }]),
  ]
}

const ENDS: Record<ReportLock['lease'], string> = {
  deadline: 'no calendar reaches it',
  heartbeat: 'while renewed',
  session: 'with its session',
  never: 'no expiry',
  released: '',
  unknown: 'unknown',
}
