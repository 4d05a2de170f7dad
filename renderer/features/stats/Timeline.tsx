import { useId, useLayoutEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Result } from '../../../shared/result.ts'
import type { KeyChoice, LockTenure, Tenures } from '../../../shared/stats.ts'
import { ask, book, consoleStore } from '../../state/console.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { useAnswer } from '../../state/use-answer.ts'
import { type Inspected, viewStore } from '../../state/view.ts'
import cardStyles from '../../ui/Card.module.css'
import { LongTable } from '../../ui/DataTable.tsx'
import { TextInput } from '../../ui/Field.tsx'
import { shownText, t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import { ChartFrame, Drawing } from './ChartFrame.tsx'
import type { Span } from './steps.ts'
import timelineStyles from './Timeline.module.css'
import { holderKey, lanesOf } from './timeline.ts'

const MOST_TENURES = 500

type Props = { readonly scope: string | null; readonly span: Span }

/** The tenures of a lock that is chosen here or in the inspector. */
export function Timeline({ scope, span }: Props) {
  const target = useStore(viewStore, state => state.timelineOf)
  const box = useRef<HTMLDivElement>(null)
  const lastTarget = useRef(target)
  const found = useTenures(target, span)
  useLayoutEffect(() => {
    if (target === null) return
    // The operator chose a lock, here or in the inspector.
    if (lastTarget.current !== target || !wasShown) box.current?.scrollIntoView({ block: 'center' })
    lastTarget.current = target
    wasShown = true
    return () => {
      wasShown = false
    }
  }, [target])
  const { tenures, left } = found ?? NONE
  const row = target && book.rows.get(rowIdOf(target.storeId, target.id))
  const key = tenures[0]?.key ?? row?.lock.key ?? target?.id ?? ''
  const holders = new Set(tenures.map(holderKey)).size
  const columns = t.stats.tenureColumns
  const nothing = tenures.length === 0 && (
    <p className={`${cardStyles.note} muted`}>{target === null ? t.stats.chooseFirst : t.stats.noTenures}</p>
  )
  return (
    <div ref={box}>
      <ChartFrame
        name="timeline"
        title={t.stats.timeline}
        chart={
          nothing || (
            <TimelineChart
              label={t.stats.timelineSaid(shownText(key, 120), tenures.length, holders)}
              found={found ?? NONE}
              span={span}
            />
          )
        }
        table={
          nothing || (
            <LongTable
              caption={shownText(key, 120)}
              rows={tenures.toReversed()}
              keyOf={idOf}
              columns={[
                [columns.holder, sayHolder, 'head'],
                [columns.from, t.stats.tenureFrom],
                [columns.until, t.stats.tenureUntil],
                [columns.length, tenure => sayLength(tenure, span.to)],
                [columns.renewals, ({ renewals }) => t.number(renewals)],
              ]}
            />
          )
        }
      >
        {target !== null && (
          <span className={`mono clip ${timelineStyles.key}`} title={shownText(key)}>
            {shownText(key, 200)}
          </span>
        )}
        <KeyPicker
          scope={scope}
          onChoose={({ storeId, id }) => viewStore.setState({ timelineOf: { storeId, id } })}
        />
      </ChartFrame>
      {left > 0 && tenures.length >= MOST_TENURES && (
        <p className={`${cardStyles.note} faint`}>{t.stats.left(left)}</p>
      )}
    </div>
  )
}

/** Whether a timeline is on the screen already: otherwise the view may have been opened for it. */
let wasShown = false

const NONE: Tenures = { tenures: [], gaps: [], left: 0 }

/** The tenures of a lock; those of an earlier span until these have arrived. */
function useTenures(target: Inspected | null, { from, to }: Span): Tenures | null {
  const question = target && { storeIds: [target.storeId], id: target.id, from, to, limit: MOST_TENURES }
  const known = useAnswer(question, of => ask('stats.tenures', of).then(valueOrNull))
  const isOfTarget = known?.of.id === target?.id && known?.of.storeIds[0] === target?.storeId
  return isOfTarget && known ? known.answer : null
}

function valueOrNull<T>(result: Result<T>): T | null {
  return result.ok ? result.value : null
}

type ChartProps = { readonly label: string; readonly found: Tenures; readonly span: Span }

const TICKS = 4

/** Each holder has a lane, and each of its tenures is a bar. */
function TimelineChart({ label, found: { tenures, gaps }, span: { from, to } }: ChartProps) {
  const [reading, setReading] = useState<{ of: string; byKeys: boolean } | null>(null)
  const at = tenures.findIndex(tenure => idOf(tenure) === reading?.of)
  const shown = tenures[at]
  const go = (i: number) => () => {
    const tenure = tenures[Math.max(0, Math.min(tenures.length - 1, i))]
    if (tenure) setReading({ of: idOf(tenure), byKeys: true })
  }
  const leave = () => setReading(null)
  const before = go((shown ? at : tenures.length) - 1)
  const after = go((shown ? at : tenures.length) + 1)
  const place = (time: number) => `${Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100))}%`
  const tickMs = (to - from) / TICKS
  const ticks = Array.from({ length: TICKS + 1 }, (_, i) => from + tickMs * i)
  return (
    <>
      <p
        className={`${chartStyles.legend} ${timelineStyles.reading}`}
        aria-live={reading?.byKeys ? 'polite' : 'off'}
      >
        {shown ? sayTenure(shown, to) : ' '}
      </p>
      <Drawing
        label={label}
        className={timelineStyles.timeline}
        keys={() => ({
          ArrowLeft: before,
          ArrowUp: before,
          ArrowRight: after,
          ArrowDown: after,
          Home: go(0),
          End: go(tenures.length - 1),
          Escape: reading ? leave : undefined,
        })}
        onLeave={leave}
        onPointerLeave={leave}
      >
        <div className={timelineStyles.gaps} aria-hidden="true">
          {gaps.map(gap => (
            <span
              key={gap.from}
              className={timelineStyles.gap}
              title={t.stats.gapLabels[gap.why]}
              style={{ left: place(gap.from), right: `calc(100% - ${place(gap.until ?? to)})` }}
            />
          ))}
        </div>
        {lanesOf(tenures, from, to).map(({ holder, bars }) => (
          <div key={holder ? holderKey(holder) : 'others'} className={timelineStyles.lane}>
            <span className={`${timelineStyles.laneName} clip`}>
              {holder ? sayHolder(holder) : t.stats.otherHolders}
            </span>
            <span className={timelineStyles.bars}>
              {bars.map(({ tenure, left, right, openLeft, openRight }) => {
                const read = () => setReading({ of: idOf(tenure), byKeys: false })
                return (
                  <span
                    key={idOf(tenure)}
                    className={timelineStyles.bar}
                    data-end={tenure.end}
                    data-open-left={openLeft || undefined}
                    data-open-right={openRight || undefined}
                    data-read={tenure === shown || undefined}
                    style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
                    onPointerEnter={read}
                    onPointerDown={read}
                  />
                )
              })}
            </span>
          </div>
        ))}
        <div className={timelineStyles.axis} aria-hidden="true">
          {ticks.map(time => (
            <span key={time} className="number">
              {t.stats.axisTime(time, tickMs)}
            </span>
          ))}
        </div>
      </Drawing>
    </>
  )
}

function idOf(tenure: LockTenure): string {
  return `${tenure.from} ${holderKey(tenure)}`
}

function sayTenure(tenure: LockTenure, now: number): string {
  const { tenureFrom, tenureUntil, renewals } = t.stats
  return [
    sayHolder(tenure),
    tenureFrom(tenure),
    tenureUntil(tenure),
    sayLength(tenure, now),
    renewals(tenure.renewals),
  ].join(' · ')
}

function sayLength({ from, begin, until, end }: LockTenure, now: number): string {
  return t.stats.tenureLength((until ?? now) - from, begin !== 'before' && end !== 'unseen')
}

function sayHolder({ holder, ownerHash }: Pick<LockTenure, 'holder' | 'ownerHash'>): string {
  if (holder !== null) return shownText(holder, 120)
  return ownerHash === null ? t.noHolder : t.stats.token(ownerHash)
}

type PickerProps = { readonly scope: string | null; readonly onChoose: (key: KeyChoice) => void }

const TYPED_MS = 150
const MOST_KEYS = 12

/** Finds a key in the history. The input keeps the focus, and the arrow keys move through the list. */
function KeyPicker({ scope, onChoose }: PickerProps) {
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const entries = useStore(consoleStore, state => state.entries)
  const id = useId()
  const storeIds = scope === null ? undefined : [scope]
  const question = open ? { text: typed.trim(), limit: MOST_KEYS, storeIds } : null
  const known = useAnswer(question, of => ask('stats.keys', of).then(valueOrNull), { afterMs: TYPED_MS })
  const found = known?.answer ?? []
  const chosen = Math.min(at, found.length - 1)

  const choose = (key: KeyChoice | undefined) => {
    if (!key) return
    setOpen(false)
    setTyped('')
    onChoose(key)
  }
  const move = (to: number) => {
    if (found.length > 0) setAt((to + found.length) % found.length)
  }
  return (
    <div className={timelineStyles.picker}>
      <TextInput
        mono
        role="combobox"
        aria-label={t.stats.chooseKey}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder={t.stats.chooseKeyHint}
        maxLength={500}
        value={typed}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={text => {
          setTyped(text)
          setOpen(true)
          setAt(0)
        }}
        onKeyDown={event => {
          const keys: Record<string, () => void> = {
            ArrowDown: () => (open ? move(chosen + 1) : setOpen(true)),
            ArrowUp: () => move(chosen - 1),
            Enter: () => open && choose(found[chosen]),
            Escape: () => (open ? setOpen(false) : setTyped('')),
          }
          const run = keys[event.key]
          if (!run) return
          event.preventDefault()
          event.stopPropagation()
          run()
        }}
      />
      {open && (
        <div id={`${id}-list`} role="listbox" aria-label={t.stats.keys} className={timelineStyles.list}>
          {found.map((key, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input above takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the input above keeps the focus
            <div
              key={`${key.storeId} ${key.id}`}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === chosen}
              className={timelineStyles.option}
              // Before the input loses the focus, which would close the list.
              onPointerDown={event => event.preventDefault()}
              onClick={() => choose(key)}
            >
              <span className="mono clip">{shownText(key.key, 200)}</span>
              <span className={`faint ${timelineStyles.more}`}>
                {shownText(entries.find(each => each.storeId === key.storeId)?.name ?? '', 40)}
                {' · '}
                {t.stats.keySeen(key.tenures, key.heldNow)}
              </span>
            </div>
          ))}
        </div>
      )}
      {open && found.length === 0 && (
        <p className={`${timelineStyles.list} ${timelineStyles.none} muted`}>{t.stats.noKeys}</p>
      )}
    </div>
  )
}
