import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Exclusion, PlanSummary } from '../../../shared/plans.ts'
import { useNow } from '../../state/clock.ts'
import { consoleStore } from '../../state/console.ts'
import { exclude, leavePlan } from '../../state/plan.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence, t } from '../../words/words.ts'
import { PlanWarnings } from './PlanConfirm.tsx'
import { PlanGroups } from './PlanGroups.tsx'
import { PlanList } from './PlanList.tsx'
import styles from './Plans.module.css'
import { reviewChips } from './plan-chips.ts'
import { savePlanFile } from './plan-files.ts'
import { type Compared, useComparison, usePlanView } from './use-plan-view.ts'

/** Locks of an older plan have probably changed. */
const OLD_MS = 120_000

type Props = { readonly book: PlanBook; readonly plan: PlanSummary; readonly onNext: () => void }

export function PlanReview({ book, plan, onNext }: Props) {
  const compared = useComparison(book)
  const view = usePlanView(book, compared.changes)
  const formats = useStore(consoleStore, state => state.formats)
  const [notice, setNotice] = useState('')

  const send = async (exclusions: readonly Exclusion[], isExcluded: boolean) => {
    const error = await exclude(book, exclusions, isExcluded)
    setNotice(error ? sentence(error.message) : '')
  }
  const toggle = (n: number) => {
    const entry = book.entries[n]
    if (!entry) return
    const by = book.excludedBy(entry)
    if (by === null || by === 'lock') void send(single([n]), by === null)
    else setNotice(t.plans.list.excludedBy[by])
  }
  const words = t.plans.list
  const { revision } = book
  // biome-ignore lint/correctness/useExhaustiveDependencies: the book is mutable, and its revision counts its changes
  const { kept, excluded } = useMemo(() => splitShown(book, view.order), [book, view.order, revision])
  return (
    <div className={styles.columns}>
      <div className={styles.side}>
        <PlanWarnings book={book} plan={plan} />
        <PlanGroups
          book={book}
          plan={plan}
          show={view.show}
          onShow={view.setShow}
          onExclude={(by, value, isExcluded) => void send([{ by, value }], isExcluded)}
        />
      </div>
      <div className={styles.main}>
        <CompareLine book={book} plan={plan} compared={compared} />
        <PlanList
          book={book}
          view={view}
          chips={reviewChips(book, plan, compared, view.show, formats)}
          changes={compared.changes}
          onExclude={toggle}
        >
          {/* The locks of a restore are gone, so there is nothing to compare. */}
          {plan.kind === 'release' && (
            <Button disabled={compared.working || !book.loaded} onClick={compared.run}>
              {compared.working ? t.plans.compare.checking : t.plans.compare.check}
            </Button>
          )}
          {kept.length > 0 && (
            <Button onClick={() => void send(single(kept), true)}>{words.excludeShown(kept.length)}</Button>
          )}
          {kept.length === 0 && excluded.length > 0 && (
            <Button onClick={() => void send(single(excluded), false)}>
              {words.keepShown(excluded.length)}
            </Button>
          )}
        </PlanList>
        <p className={`${styles.note} faint`} role="status">
          {notice === '' ? words.keysHint : notice}
        </p>
        <DialogButtons>
          <Button start onClick={leavePlan}>
            {t.close}
          </Button>
          <Button onClick={() => void savePlanFile(plan).then(setNotice)}>{t.plans.saveFile}</Button>
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

function single(places: readonly number[]): Exclusion[] {
  return places.map(n => ({ by: 'lock', value: String(n) }))
}

/** The shown locks that can be excluded one by one, and those that can be included again. */
function splitShown(book: PlanBook, order: readonly number[]) {
  const shown = order.flatMap(n => book.entries[n] ?? [])
  const excludedBy = (by: Exclusion['by'] | null) =>
    shown.filter(entry => book.excludedBy(entry) === by).map(({ n }) => n)
  return { kept: excludedBy(null), excluded: excludedBy('lock') }
}

function CompareLine({ book, plan, compared }: Omit<Props, 'onNext'> & { readonly compared: Compared }) {
  const words = t.plans.compare
  const wasCompared = useRef(false)
  const age = useNow() - plan.createdAt
  const { answer, error, run } = compared
  const old = plan.kind === 'release' && age > OLD_MS
  // The operator of an old plan first needs to know what has changed.
  useEffect(() => {
    if (wasCompared.current || !old || !book.loaded) return
    wasCompared.current = true
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
