import type { ReactNode } from 'react'
import { kindOf } from '../../../shared/kinds.ts'
import type { SideNow } from '../../../shared/switch.ts'
import { providerDifferences } from '../../../shared/switch-providers.ts'
import { Card } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { DataTable, hiddenTitle, SideName, type StepProps, WhyTwoBreak } from './parts.tsx'
import styles from './Switch.module.css'

const POINTS = [
  ['advantages', 'live'],
  ['considerations', 'warn'],
] as const

/** Both providers side by side: their current numbers, and the pros and cons of each. */
export function UnderstandStep({ run, now }: StepProps) {
  const words = t.switch.understand
  const { numbers, means } = providerDifferences(run, now)
  const rows = [
    ...numbers.map(({ what, ...values }) => ({
      what,
      cell: (side: Which) => <NumberCell value={values[side]} side={now[side]} />,
    })),
    ...POINTS.map(([name, tone]) => ({
      what: words[name],
      cell: (side: Which) => <Points points={kindOf(run[side].kind)[name]} tone={tone} />,
    })),
  ]
  const head = (side: Which, role: string): ReactNode => (
    <>
      <SideName side={run[side]} />
      <span className={styles.role} data-status={now[side].status}>
        {role} · {words.statuses[now[side].status]}
      </span>
    </>
  )
  return (
    <>
      {means.length > 0 && (
        <Card label={words.means} titled className={styles.means}>
          <ul>
            {means.map(each => (
              <li key={each}>{sentence(each)}</li>
            ))}
          </ul>
        </Card>
      )}
      <Card label={words.compare}>
        <DataTable<Row>
          caption={words.compare}
          className={styles.compare}
          rows={rows}
          keyOf={({ what }) => what}
          columns={[
            [hiddenTitle(words.measure), ({ what }) => what, 'head'],
            [head('from', words.today), ({ cell }) => cell('from')],
            [head('to', words.afterwards), ({ cell }) => cell('to')],
          ]}
        />
      </Card>
      <WhyTwoBreak />
    </>
  )
}

type Which = 'from' | 'to'
type Row = { readonly what: string; readonly cell: (side: Which) => ReactNode }

function NumberCell({ value, side }: { readonly value: string | null; readonly side: SideNow }) {
  return (
    <span className="number" data-behind={side.status !== 'live' || undefined}>
      {value === null ? t.switch.understand.nothing : shownText(value, 80)}
    </span>
  )
}

function Points({ points, tone }: { readonly points: readonly string[]; readonly tone: 'live' | 'warn' }) {
  return (
    <ul className={styles.points} data-tone={tone}>
      {points.map(point => (
        <li key={point}>
          <Icon name={tone === 'live' ? 'plus' : 'warning'} size={12} />
          <span>{point}</span>
        </li>
      ))}
    </ul>
  )
}
