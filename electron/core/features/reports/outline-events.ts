import { RULES } from '../../../../shared/alerts.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { ReportAction, ReportAlert, ReportHead } from '../../../../shared/report-document.ts'
import { type Block, code, entry, heading, notice, quiet, type Tone, table, text } from './block.ts'
import { cutData } from './escape.ts'
import { isDone, sayMethod, sayOutcome, sayResult, sayTime, timeCell, withoutStop } from './words.ts'

const SEVERITIES: Record<string, Tone> = { critical: 'danger', warning: 'warn', notice: 'quiet' }

export function* alertBlocks({ alerts, asked }: ReportHead): Iterable<Block> {
  if (alerts === null) return
  const { listed, more, left, knownSince, advice } = alerts
  yield heading('Alerts')
  if (listed.length > 0) yield alertTable(listed)
  else if (knownSince > asked.to)
    yield text('Alerts in the window are unknown: they are detected while a console runs.')
  else yield text('There were none in the window.')
  for (const { rule, next } of advice)
    yield entry(RULES[rule].title, { isOurs: true, tags: [quiet('what to do')], list: next })
  if (more > 0) yield text(`And ${plural(more, 'earlier alert', 'earlier alerts')}.`, true)
  if (left > 0) yield text(`${plural(left, 'ended alert is', 'ended alerts are')} no longer kept.`, true)
  if (knownSince > asked.from && knownSince <= asked.to)
    yield text(`Alerts are known from ${sayTime(knownSince)} on.`, true)
}

function alertTable(alerts: readonly ReportAlert[]): Block {
  return table('Alerts', alerts, [
    ['Severity', 10, ({ severity }) => ({ text: severity, tone: SEVERITIES[severity] })],
    [
      'From, to',
      18,
      ({ since, until, count: times }) => ({
        text: `${sayTime(since)} to ${until === null ? 'now' : sayTime(until)}${times > 1 ? `, ${sayNumber(times)} times` : ''}`,
        as: 'time',
      }),
    ],
    ['Store and lock', 24, ({ store, key }) => (key === null ? store : `${store}: ${cutData(key)}`)],
    ['What', 40, ({ rule, says }) => `${RULES[rule].title}. ${says}`],
    [
      'Acknowledged',
      18,
      ({ acknowledged, muted }) =>
        acknowledged ? `${acknowledged.by}: ${acknowledged.reason}` : muted ? 'muted' : '',
    ],
  ])
}

export function* actionBlocks({ actions }: ReportHead): Iterable<Block> {
  const { listed, more, elsewhere, unreadable } = actions
  yield heading('Actions')
  yield* auditBlocks(actions)
  if (listed.length > 0) yield actionTable(listed)
  else yield text('The audit log has no actions in the window.')
  for (const action of listed) if (action.notDone.length > 0) yield notDoneEntry(action)
  if (more > 0) yield text(`And ${plural(more, 'earlier action', 'earlier actions')}.`)
  if (elsewhere > 0)
    yield text(
      `${plural(elsewhere, 'action', 'actions')} in other stores ${elsewhere === 1 ? 'is' : 'are'} not listed.`,
    )
  if (unreadable > 0) yield text(`${plural(unreadable, 'line', 'lines')} of the log could not be read.`)
}

function actionTable(actions: readonly ReportAction[]): Block {
  return table('Actions', actions, [
    ['When', 15, ({ at }) => timeCell(at)],
    ['Who', 15, ({ user, host }) => `${user} on ${host}`],
    ['What', 14, ({ method }) => sayMethod(method)],
    ['Lock or plan', 24, ({ plan, key }) => code(cutData(plan ?? key ?? ''))],
    ['Store', 14, ({ stores }) => stores.join(', ')],
    ['Why', 22, ({ reason }) => reason ?? ''],
    ['Outcome', 24, action => ({ text: sayResult(action), tone: isDone(action) ? undefined : 'warn' })],
  ])
}

function notDoneEntry({ plan, action, notDone, moreNotDone }: ReportAction): Block {
  const each = notDone.map(({ key, outcome, message }) => {
    const why = message === null ? '' : ` (${message})`
    return `${cutData(key)}: ${sayOutcome(outcome)}${why}`
  })
  return entry(plan ?? action, {
    tags: [{ text: 'not done', tone: 'warn' }],
    list: moreNotDone > 0 ? [...each, `and ${sayNumber(moreNotDone)} more`] : each,
  })
}

/** The proof comes first: the actions are worth as much as the log. */
function* auditBlocks({ audit }: ReportHead['actions']): Iterable<Block> {
  if (audit.ok === null) {
    yield notice('warn', `The audit log could not be checked completely: ${withoutStop(audit.says)}.`)
    return
  }
  if (!audit.ok) {
    yield notice(
      'danger',
      `The audit log is damaged. ${withoutStop(audit.says)}. The actions below are as it reads now, which may not be what was recorded.`,
    )
    yield entry(audit.file ?? 'audit log', {
      tags: [{ text: 'damaged', tone: 'danger' }],
      list: audit.damages.map(
        ({ file, line, why }) => `${file}${line === null ? '' : `, line ${line}`}: ${why}`,
      ),
    })
    return
  }
  const proof = `intact: ${plural(audit.lines, 'line', 'lines')}, each chained to the one before by its hash`
  const { hash, seq } = audit
  yield {
    is: 'facts',
    facts: [
      ['Audit log', { text: proof, tone: 'live' }],
      ...(hash === null ? [] : [[`Hash of line ${seq ?? ''}`, code(hash)] as const]),
    ],
  }
}
