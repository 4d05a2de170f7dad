import type { ReactNode } from 'react'
import {
  addNumbers,
  type Counted,
  FLOW_NAMES,
  FLOW_WORDS,
  type LockBrief,
  ratesOf,
  type Stats,
} from '../../../shared/stats.ts'
import { inspect } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import figureStyles from '../../ui/Figures.module.css'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { isOld, sayWhen } from './say-when.ts'
import type { StatsAnswer } from './use-stats.ts'

const TONES: Partial<Record<Counted, string>> = { expiring: 'warn', endless: 'endless', expired: 'danger' }
const STATES: readonly Counted[] = ['held', 'expiring', 'endless', 'unknown', 'expired', 'released']
/** Shown only if there are such locks. */
const RARE: readonly Counted[] = ['unknown', 'released']

/** The numbers of now, and those of the observed part of the window. */
export function FiguresRow({ answer }: { readonly answer: StatsAnswer }) {
  const { at, since, overall, stores } = answer.stats
  const { counts, active, total, oldest, longest, observedMs } = overall
  const rates = ratesOf(stores)
  const words = t.stats
  const spent = stores.map(each => each.spent).reduce(addNumbers)
  return (
    <>
      <section className={figureStyles.figures} aria-label={sayWhen(stores)}>
        <dl>
          <Figure name={words.active}>{t.number(active)}</Figure>
          {STATES.filter(name => counts[name] > 0 || !RARE.includes(name)).map(name => (
            <Figure key={name} name={words.states[name]} tone={counts[name] > 0 ? TONES[name] : undefined}>
              {t.number(counts[name])}
            </Figure>
          ))}
          <Figure name={words.stored}>{t.number(total)}</Figure>
        </dl>
      </section>
      <section className={`${figureStyles.figures} ${figureStyles.small}`} aria-label={words.perMinute}>
        <dl>
          {FLOW_NAMES.map(name => (
            <Figure key={name} name={FLOW_WORDS[name]} unit={words.aMinute}>
              {words.rate(rates?.[name] ?? null)}
            </Figure>
          ))}
          <BriefFigure name={words.oldest} brief={oldest} until={seenAt(answer.stats, oldest)} />
          <BriefFigure name={words.longest} brief={longest} until={longest?.until ?? at} />
          <Figure
            name={words.cost}
            unit={spent.units === null ? undefined : words.costUnits(spent.units)}
            title={words.costSince}
          >
            {words.costRequests(spent.requests)}
          </Figure>
        </dl>
        <p className={`${figureStyles.note} faint`}>
          {words.observed(observedMs, at - since)}
          {answer.watched !== null && ` · ${words.watchedFrom(answer.watched)}`}
        </p>
      </section>
    </>
  )
}

/** Of a store that is not live, nothing is known after its last reading. */
function seenAt({ at, stores }: Stats, brief: LockBrief | null): number {
  const store = stores.find(({ storeId }) => storeId === brief?.storeId)
  return store && isOld(store) ? (store.asOf ?? at) : at
}

type FigureProps = {
  readonly name: string
  readonly unit?: string | undefined
  readonly tone?: string | undefined
  readonly title?: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

function Figure({ name, unit, tone, title, className = '', children }: FigureProps) {
  return (
    <div className={`${figureStyles.figure} ${className}`} data-tone={tone} title={title}>
      <dt>{name}</dt>
      <dd>
        {children}
        {unit !== undefined && <span className={figureStyles.unit}> {unit}</span>}
      </dd>
    </div>
  )
}

type BriefProps = { readonly name: string; readonly brief: LockBrief | null; readonly until: number }

function BriefFigure({ name, brief, until }: BriefProps) {
  if (!brief)
    return (
      <Figure name={name}>
        <span className="faint">{t.stats.none}</span>
      </Figure>
    )
  const { storeId, id, key, holder, since, exact } = brief
  return (
    <Figure name={name} className={figureStyles.lock}>
      {t.stats.tenureLength(until - since, exact)}{' '}
      <Button
        look="link"
        className={`mono clip ${figureStyles.unit}`}
        title={`${shownText(key)} · ${shownText(holder, 120)}`}
        onClick={() => inspect({ storeId, id })}
      >
        {shownText(key, 120)}
      </Button>
    </Figure>
  )
}
