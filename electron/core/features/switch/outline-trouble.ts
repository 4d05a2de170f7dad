import { plural, sayNumber } from '../../../../shared/numbers.ts'
import { MOST_STRAYS, type SwitchRun } from '../../../../shared/switch.ts'
import { seenAfterRestart } from '../../../../shared/switch-steps.ts'
import type { Block, Cell } from '../reports/block.ts'
import { cutData } from '../reports/html-text.ts'
import { heading, holderCell, notice, text, when } from './outline-parts.ts'

/** What went wrong in a switch: workers that were not stopped, and names that two held at once. */

/** Which they were is told below, in full. */
export function finishedAlthough(run: SwitchRun): string {
  const { strays, splits } = seenAfterRestart(run)
  const seen = [
    ...(strays.length > 0
      ? [`${plural(strays.length, 'lock was', 'locks were')} acquired in the old store`]
      : []),
    ...(splits.length > 0
      ? [`${plural(splits.length, 'name was', 'names were')} held in both stores at once`]
      : []),
  ]
  return `This switch was finished although ${seen.join(' and ')} after the workers had been started again: a worker may still use the old provider.`
}

export function strayBlocks(run: SwitchRun): Block[] {
  return [
    heading('Acquired in the old store after its workers counted as stopped'),
    ...(run.strays.length === 0
      ? [text('Nothing, as far as it was watched.')]
      : [
          notice('warn', 'A worker was not stopped, or still had the old provider.'),
          ...(run.strays.length < MOST_STRAYS
            ? []
            : [text(`Only ${sayNumber(MOST_STRAYS)} were kept: there may have been more.`)]),
          {
            is: 'table' as const,
            name: 'Strays',
            columns: [
              { title: 'When', share: 18 },
              { title: 'Lock', share: 40 },
              { title: 'Holder', share: 40 },
            ],
            rows: run.strays.map(({ key, holder, at }): Cell[] => [
              { text: when(at), as: 'time' },
              { text: cutData(key), as: 'code' },
              holderCell(holder),
            ]),
          },
        ]),
  ]
}

export function splitBlocks(run: SwitchRun): Block[] {
  return [
    heading('Held in both stores at once'),
    ...(run.splits.length === 0
      ? [text('No name, as far as both were watched.')]
      : [
          notice('danger', 'The same job may have run twice at these times.'),
          {
            is: 'table' as const,
            name: 'Splits',
            columns: [
              { title: 'Name', share: 30 },
              { title: 'From, to', share: 24 },
              { title: 'Holder in old', share: 24 },
              { title: 'Holder in new', share: 24 },
            ],
            rows: run.splits.map((split): Cell[] => [
              { text: cutData(split.name), as: 'code' },
              {
                text: `${when(split.since)} to ${split.until === null ? openEnd(run) : when(split.until)}`,
                as: 'time',
              },
              holderCell(split.fromHolder),
              holderCell(split.toHolder),
            ]),
          },
        ]),
  ]
}

/** Nobody follows a switch that has ended: what was so then may have gone on. */
function openEnd({ ended }: SwitchRun): string {
  return ended === null ? 'the end of this report' : `${when(ended.at)} or later`
}
