import type { ReactNode } from 'react'
import { kindOf } from '../../../shared/kinds.ts'
import type { Side, SideNow } from '../../../shared/switch.ts'
import { providerDifferences } from '../../../shared/switch-providers.ts'
import { Card } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { DataTable, SideName } from './parts.tsx'
import styles from './Switch.module.css'
import { WhyTwoBreak } from './Trouble.tsx'
import { type StepProps, useSwitchNow } from './use-switch.ts'

type Row = {
  readonly what: string
  readonly from: ReactNode
  readonly to: ReactNode
  readonly isText: boolean
}

/** Both providers side by side: their current numbers, and the pros and cons of each. */
export function UnderstandStep({ run }: StepProps) {
  const now = useSwitchNow(each => each)
  if (!now) return null
  const words = t.switch.understand
  const { numbers, means } = providerDifferences(run, now)
  const [from, to] = [kindOf(run.from.kind), kindOf(run.to.kind)]
  const points = (what: string, tone: 'live' | 'warn', name: 'advantages' | 'considerations'): Row => ({
    what,
    from: <Points points={from[name]} tone={tone} />,
    to: <Points points={to[name]} tone={tone} />,
    isText: true,
  })
  const numberCell = (value: string | null, side: SideNow) => (
    <span className="number" data-behind={side.status !== 'live' || undefined}>
      {value === null ? words.nothing : shownText(value, 80)}
    </span>
  )
  const rows = [
    ...numbers.map(
      (each): Row => ({
        what: each.what,
        from: numberCell(each.from, now.from),
        to: numberCell(each.to, now.to),
        isText: false,
      }),
    ),
    points(words.advantages, 'live', 'advantages'),
    points(words.considerations, 'warn', 'considerations'),
  ]
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
        <DataTable
          caption={words.compare}
          className={styles.compare}
          rows={rows}
          keyOf={({ what }) => what}
          rowProps={({ isText }) => (isText ? { className: styles.texts } : {})}
          columns={[
            { title: words.measure, isTitleHidden: true, kind: 'head', cell: ({ what }) => what },
            {
              title: <SideHead side={run.from} now={now.from} role={words.today} />,
              cell: row => row.from,
            },
            { title: <SideHead side={run.to} now={now.to} role={words.afterwards} />, cell: row => row.to },
          ]}
        />
      </Card>
      <WhyTwoBreak />
    </>
  )
}

type HeadProps = { readonly side: Side; readonly now: SideNow; readonly role: string }

function SideHead({ side, now, role }: HeadProps) {
  return (
    <>
      <SideName side={side} />
      <span className={styles.role} data-status={now.status}>
        {role} · {t.switch.understand.statuses[now.status]}
      </span>
    </>
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
