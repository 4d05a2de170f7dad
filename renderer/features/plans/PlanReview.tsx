import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Exclusion, PlanSummary } from '../../../shared/plans.ts'
import { useNow } from '../../state/clock.ts'
import { consoleStore } from '../../state/console.ts'
import { exclude, leavePlan } from '../../state/plan.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { type Now, SHOW_ALL, type Show } from '../../state/plan-order.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons } from '../../ui/Dialog.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { groupName, PlanGroups } from './PlanGroups.tsx'
import { PlanList } from './PlanList.tsx'
import styles from './Plans.module.css'
import { PlanWarnings } from './PlanWarnings.tsx'
import { savePlanFile } from './plan-files.ts'
import { type ShowChip, ShowChips } from './ShowChips.tsx'
import { type Compared, useComparison, usePlanView } from './use-plan-view.ts'

/** The locks of an older plan have probably changed. */
const OLD_MS = 120_000

type Props = { readonly book: PlanBook; readonly plan: PlanSummary; readonly onNext: () => void }

export function PlanReview({ book, plan, onNext }: Props) {
  const compared = useComparison(book)
  const view = usePlanView(book, compared.changes)
  const { show, setShow, search, setSearch, order } = view
  const [said, setSaid] = useState('')

  const send = useCallback(
    async (exclusions: readonly Exclusion[], excluded: boolean) => {
      const error = await exclude(book, exclusions, excluded)
      setSaid(error ? sentence(error.message) : '')
    },
    [book],
  )
  const toggle = useCallback(
    (n: number) => {
      const entry = book.entries[n]
      if (!entry) return
      const by = book.excludedBy(entry)
      if (by === null || by === 'lock') void send([{ by: 'lock', value: String(n) }], by === null)
      else setSaid(t.plans.list.excludedBy[by])
    },
    [book, send],
  )
  const words = t.plans.list
  const { revision } = book
  // biome-ignore lint/correctness/useExhaustiveDependencies: the book changes in its place, and its revision tells
  const { kept, excluded } = useMemo(() => splitShown(book, order), [book, order, revision])
  const whole = (places: readonly number[]) => places.map(n => ({ by: 'lock' as const, value: String(n) }))
  return (
    <div className={styles.columns}>
      <div className={styles.side}>
        <PlanWarnings book={book} plan={plan} />
        <PlanGroups
          book={book}
          plan={plan}
          show={show}
          onShow={next => setShow(next)}
          onExclude={(by, value, isExcluded) => void send([{ by, value }], isExcluded)}
        />
      </div>
      <div className={styles.main}>
        <CompareLine book={book} plan={plan} compared={compared} />
        <div className={styles.tools}>
          <SearchBox value={search} onChange={setSearch} />
          {/* The locks of a restore are gone, so there is nothing to compare. */}
          {plan.kind === 'release' && (
            <Button disabled={compared.working || !book.loaded} onClick={compared.run}>
              {compared.working ? t.plans.compare.checking : t.plans.compare.check}
            </Button>
          )}
          {kept.length > 0 && (
            <Button onClick={() => void send(whole(kept), true)}>{words.excludeShown(kept.length)}</Button>
          )}
          {kept.length === 0 && excluded.length > 0 && (
            <Button onClick={() => void send(whole(excluded), false)}>
              {words.keepShown(excluded.length)}
            </Button>
          )}
        </div>
        <ReviewChips book={book} plan={plan} compared={compared} show={show} onShow={setShow} />
        <PlanList book={book} order={order} changes={compared.changes} mayExclude onExclude={toggle} />
        <p className={`${styles.note} faint`} role="status">
          {said === '' ? words.keysHint : said}
        </p>
        <DialogButtons>
          <Button start onClick={leavePlan}>
            {t.plans.close}
          </Button>
          <Button
            onClick={() => void savePlanFile(plan).then(error => error && setSaid(sentence(error.message)))}
          >
            {t.plans.saveFile}
          </Button>
          <Button
            look="primary"
            disabled={!book.loaded || plan.progress.total === 0}
            title={plan.progress.total === 0 ? t.plans.nothingLeft : undefined}
            onClick={onNext}
          >
            {t.plans.next}
          </Button>
        </DialogButtons>
      </div>
    </div>
  )
}

/** The shown locks that can be excluded one by one, and those that can be included again. */
function splitShown(book: PlanBook, order: readonly number[]): { kept: number[]; excluded: number[] } {
  const kept: number[] = []
  const excluded: number[] = []
  for (const n of order) {
    const entry = book.entries[n]
    const by = entry && book.excludedBy(entry)
    if (by === null) kept.push(n)
    else if (by === 'lock') excluded.push(n)
  }
  return { kept, excluded }
}

export function SearchBox({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (text: string) => void
}) {
  return (
    <input
      type="text"
      className={fieldStyles.input}
      aria-label={t.plans.list.search}
      placeholder={t.plans.list.searchHint}
      spellCheck={false}
      autoComplete="off"
      maxLength={400}
      value={value}
      onChange={event => onChange(event.target.value)}
      onKeyDown={event => {
        // Escape first clears the box, then closes the sheet.
        if (event.key !== 'Escape' || value === '') return
        event.preventDefault()
        event.stopPropagation()
        onChange('')
      }}
    />
  )
}

type ChipsProps = {
  readonly book: PlanBook
  readonly plan: PlanSummary
  readonly compared: Compared
  readonly show: Show
  readonly onShow: (show: Show) => void
}

const NOWS: readonly Now[] = ['same', 'renewed', 'changed', 'gone', 'unread']

function ReviewChips({ book, plan, compared, show, onShow }: ChipsProps) {
  const formats = useStore(consoleStore, state => state.formats)
  const words = t.plans.show
  const excluded = book.entries.length - plan.progress.total
  const counts = new Map<Now, number>([['same', compared.answer?.same ?? 0]])
  for (const { now } of compared.changes?.values() ?? []) counts.set(now, (counts.get(now) ?? 0) + 1)
  const chips: ShowChip[] = [
    { show: SHOW_ALL, label: words.all(book.entries.length) },
    ...(excluded > 0 ? [{ show: { by: 'excluded' } as const, label: words.excluded(excluded) }] : []),
    ...NOWS.filter(now => (counts.get(now) ?? 0) > 0).map(now => ({
      show: { by: 'now', now } as const,
      label: words[now](counts.get(now) ?? 0),
      ...(now === 'renewed' || now === 'unread' ? { tone: 'warn' as const } : {}),
    })),
    ...(show.by === 'group'
      ? [{ show, label: words.group(groupName(show.group, show.value, plan, formats)) }]
      : []),
  ]
  return <ShowChips chips={chips} show={show} onShow={onShow} />
}

function CompareLine({
  book,
  plan,
  compared,
}: {
  readonly book: PlanBook
  readonly plan: PlanSummary
  readonly compared: Compared
}) {
  const words = t.plans.compare
  const looked = useRef(false)
  const age = useNow() - plan.createdAt
  const { answer, error, run } = compared
  const old = plan.kind === 'release' && age > OLD_MS
  // The operator of an old plan first needs to know what has changed.
  useEffect(() => {
    if (looked.current || !old || !book.loaded) return
    looked.current = true
    run()
  }, [old, book.loaded, run])
  return (
    <div className={styles.compare} role="status" data-old={(answer === null && old) || undefined}>
      <ErrorNotice role="none" what={words.failed} error={error} />
      {answer ? (
        <p>
          {words.at(answer.comparedAt)}{' '}
          {answer.changes.length === 0
            ? words.allSame(answer.same)
            : `${words.some(answer.same, answer.changes.length)} ${words.meaning}`}
        </p>
      ) : (
        old && <p>{words.old(age)}</p>
      )}
    </div>
  )
}
