import type { ReactNode } from 'react'
import { FLOW_NAMES, FLOW_WORDS, type LockBrief, ratesOf, type Stats } from '../../../shared/stats.ts'
import { inspect } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import figureStyles from '../../ui/Figures.module.css'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { isOld, sayWhen } from './say-when.ts'
import type { StatsAnswer } from './use-stats.ts'

/** The numbers of now, and of the window as far as it was observed. */
export function FiguresRow({ answer }: { readonly answer: StatsAnswer }) {
  const { at, since, overall, stores } = answer.stats
  const { counts, active, total, oldest, longest, observedMs } = overall
  const rates = ratesOf(stores)
  const words = t.stats
  const units = stores.flatMap(({ spent }) => spent.units ?? [])
  return (
    <>
      <section className={figureStyles.figures} aria-label={sayWhen(stores)}>
        <dl>
          <Figure name={words.active} value={t.number(active)} />
          <Figure name={words.states.held} value={t.number(counts.held)} />
          <Figure
            name={words.states.expiring}
            value={t.number(counts.expiring)}
            tone={counts.expiring && 'warn'}
          />
          <Figure
            name={words.states.endless}
            value={t.number(counts.endless)}
            tone={counts.endless && 'endless'}
          />
          {counts.unknown > 0 && <Figure name={words.states.unknown} value={t.number(counts.unknown)} />}
          <Figure
            name={words.states.expired}
            value={t.number(counts.expired)}
            tone={counts.expired && 'danger'}
          />
          {counts.released > 0 && <Figure name={words.states.released} value={t.number(counts.released)} />}
          <Figure name={words.stored} value={t.number(total)} />
        </dl>
      </section>
      <section className={`${figureStyles.figures} ${figureStyles.small}`} aria-label={words.perMinute}>
        <dl>
          {FLOW_NAMES.map(name => (
            <Figure
              key={name}
              name={FLOW_WORDS[name]}
              value={words.rate(rates?.[name] ?? null)}
              unit={words.aMinute}
            />
          ))}
          <BriefFigure name={words.oldest} brief={oldest} until={seenAt(answer.stats, oldest)} />
          <BriefFigure name={words.longest} brief={longest} until={longest?.until ?? at} />
          <Figure
            name={words.cost}
            value={words.costRequests(stores.reduce((sum, { spent }) => sum + spent.requests, 0))}
            unit={units.length > 0 ? words.costUnits(units.reduce((sum, each) => sum + each, 0)) : undefined}
            title={words.costSince}
          />
        </dl>
        <p className={`${figureStyles.note} faint`}>
          {words.observed(observedMs, at - since)}
          {answer.watched !== null && ` · ${words.watchedFrom(answer.watched)}`}
        </p>
      </section>
    </>
  )
}

/** Of a store that is not live nobody knows more than what was last seen. */
function seenAt({ at, stores }: Stats, brief: LockBrief | null): number {
  const store = stores.find(({ storeId }) => storeId === brief?.storeId)
  return store && isOld(store) ? (store.asOf ?? at) : at
}

type FigureProps = {
  readonly name: string
  readonly value: ReactNode
  readonly unit?: string | undefined
  readonly tone?: 'warn' | 'danger' | 'endless' | 0
  readonly title?: string
}

function Figure({ name, value, unit, tone, title }: FigureProps) {
  return (
    <div className={figureStyles.figure} data-tone={tone || undefined} title={title}>
      <dt>{name}</dt>
      <dd>
        {value}
        {unit !== undefined && <span className={figureStyles.unit}> {unit}</span>}
      </dd>
    </div>
  )
}

type BriefProps = { readonly name: string; readonly brief: LockBrief | null; readonly until: number }

function BriefFigure({ name, brief, until }: BriefProps) {
  if (!brief) return <Figure name={name} value={<span className="faint">{t.stats.none}</span>} />
  const { storeId, id, key, holder, since, exact } = brief
  return (
    <div className={`${figureStyles.figure} ${figureStyles.lock}`}>
      <dt>{name}</dt>
      <dd>
        {t.stats.oldestFor(until - since, exact)}{' '}
        <Button
          look="link"
          className={`mono clip ${figureStyles.unit}`}
          title={`${shownText(key)} · ${shownText(holder, 120)}`}
          onClick={() => inspect({ storeId, id })}
        >
          {shownText(key, 120)}
        </Button>
      </dd>
    </div>
  )
}
