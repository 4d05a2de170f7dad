import type { ReactNode } from 'react'
import type { Side, SideNow } from '../../../shared/switch.ts'
import { providerDifferences } from '../../../shared/switch-providers.ts'
import { Icon } from '../../ui/Icon.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { type StepProps, useSwitchNow } from './step-props.ts'
import { WhyTwoBreak } from './Trouble.tsx'
import { SideName } from './WalkHead.tsx'

/** Both providers beside each other: what they are at now, and what speaks for and against each. */
export function UnderstandStep({ run }: StepProps) {
  const now = useSwitchNow(each => each)
  if (!now) return null
  const words = t.switch.understand
  const { from, to, numbers, means } = providerDifferences(run, now)
  const isBehind = { from: now.from.status !== 'live', to: now.to.status !== 'live' }
  return (
    <>
      {means.length > 0 && (
        <section className="card means" aria-label={words.means}>
          <header className="card-head">
            <h2>{words.means}</h2>
          </header>
          <ul>
            {means.map(each => (
              <li key={each}>{sentence(each)}</li>
            ))}
          </ul>
        </section>
      )}
      <section className="card compare" aria-label={words.compare}>
        <table className="numbers">
          <caption className="visually-hidden">{words.compare}</caption>
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">{words.measure}</span>
              </th>
              <SideHead side={run.from} now={now.from} role={words.today} />
              <SideHead side={run.to} now={now.to} role={words.afterwards} />
            </tr>
          </thead>
          <tbody>
            {numbers.map(row => (
              <tr key={row.what}>
                <th scope="row">{row.what}</th>
                {(['from', 'to'] as const).map(side => (
                  <td key={side} className="number" data-behind={isBehind[side] || undefined}>
                    {row[side] === null ? words.nothing : shownText(row[side], 80)}
                  </td>
                ))}
              </tr>
            ))}
            <tr className="compare-words">
              <th scope="row">{words.advantages}</th>
              <Points icon="plus" points={from.advantages} tone="live" />
              <Points icon="plus" points={to.advantages} tone="live" />
            </tr>
            <tr className="compare-words">
              <th scope="row">{words.considerations}</th>
              <Points icon="warning" points={from.considerations} tone="warn" />
              <Points icon="warning" points={to.considerations} tone="warn" />
            </tr>
          </tbody>
        </table>
      </section>
      <WhyTwoBreak />
    </>
  )
}

type HeadProps = { readonly side: Side; readonly now: SideNow; readonly role: string }

function SideHead({ side, now, role }: HeadProps) {
  return (
    <th scope="col">
      <SideName side={side} />
      <span className="compare-role" data-status={now.status}>
        {role} · {t.switch.understand.statuses[now.status]}
      </span>
    </th>
  )
}

type PointsProps = {
  readonly icon: 'plus' | 'warning'
  readonly points: readonly string[]
  readonly tone: string
}

function Points({ icon, points, tone }: PointsProps): ReactNode {
  return (
    <td>
      <ul className="points" data-tone={tone}>
        {points.map(point => (
          <li key={point}>
            <Icon name={icon} size={12} />
            <span>{point}</span>
          </li>
        ))}
      </ul>
    </td>
  )
}
