import { useState } from 'react'
import { planOutcome } from '../../../shared/plan-words.ts'
import { attemptsLeft, type PlanSummary } from '../../../shared/plans.ts'
import { useNow } from '../../state/clock.ts'
import { leavePlan, undo } from '../../state/plan.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { PlanList } from './PlanList.tsx'
import { ProgressBar, Troubles } from './PlanRun.tsx'
import styles from './Plans.module.css'
import { resultChips } from './plan-chips.ts'
import { planAsCsv, planAsJson, planFileName, savePlanFile } from './plan-files.ts'
import { usePlanView } from './use-plan-view.ts'

type Props = { readonly book: PlanBook; readonly plan: PlanSummary; readonly onResume: () => void }

/** The result of every lock. A lock without a result was not attempted. */
export function PlanResult({ book, plan, onResume }: Props) {
  const view = usePlanView(book)
  const [notice, setNotice] = useState('')
  const { progress } = plan
  const left = attemptsLeft(progress)
  const words = t.result
  const save = (ending: 'csv' | 'json') => {
    const name = planFileName(plan, ending)
    saveFile(name, ending === 'csv' ? planAsCsv(book, plan) : planAsJson(book, plan), FILE_TYPES[ending])
    setNotice(words.saved(name))
  }
  return (
    <section className={styles.run} aria-label={words.label}>
      <div className={styles.line}>
        <strong>{t.run.states[progress.state]}</strong>
        {progress.startedAt !== null && progress.endedAt !== null && (
          <span className="muted clip">
            {t.run.ended(
              progress.startedAt,
              progress.endedAt,
              progress.reason === null ? null : shownText(progress.reason, 160),
            )}
          </span>
        )}
      </div>
      <p className={styles.outcome} role="status">
        {planOutcome(progress)}
      </p>
      <ProgressBar plan={plan} />
      <Troubles plan={plan} />
      <Returned plan={plan} onShow={() => view.setShow({ by: 'returned' })} />
      <PlanList book={book} view={view} chips={resultChips(book, plan)}>
        <Menu
          label={words.export}
          items={[
            { label: words.exportCsv, run: () => save('csv') },
            { label: words.exportJson, run: () => save('json') },
            { label: t.plans.saveFile, run: () => void savePlanFile(plan).then(setNotice) },
          ]}
        >
          {words.export} <Icon name="down" size={10} />
        </Menu>
      </PlanList>
      <p className={`${styles.note} faint`} role="status">
        {notice}
      </p>
      <DialogButtons>
        <Button start onClick={leavePlan}>
          {t.plans.close}
        </Button>
        {plan.kind === 'release' && progress.counts.released > 0 && (
          <UndoButton of={plan.planId} until={plan.undoUntil} />
        )}
        {left > 0 && book.loaded && (
          <Button look="primary" onClick={onResume}>
            {words.resume(left)}
          </Button>
        )}
      </DialogButtons>
    </section>
  )
}

const FILE_TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' }

/** A re-acquired lock shows that its holder is alive. */
function Returned({ plan, onShow }: { readonly plan: PlanSummary; readonly onShow: () => void }) {
  const { returned, counts } = plan.progress
  if (plan.kind !== 'release' || counts.released === 0) return null
  if (returned === null) return <p className="muted">{t.result.notChecked}</p>
  if (returned === 0) return <p className="muted">{t.result.notReturned}</p>
  return (
    <Notice>
      {t.result.returned(returned)}{' '}
      <Button look="link" onClick={onShow}>
        {t.result.returnedShow}
      </Button>
    </Notice>
  )
}

/** Undoes a release until `until` (local clock), with the time left. */
export function UndoButton({ of, until }: { readonly of: string; readonly until: number | null }) {
  const left = (until ?? 0) - useNow()
  if (until === null) return <span className={`muted ${styles.undoLeft}`}>{t.undo.cannot}</span>
  if (left <= 0) return <span className={`muted ${styles.undoLeft}`}>{t.undo.over}</span>
  return (
    <>
      <span className={`muted number ${styles.undoLeft}`}>{t.undo.left(left)}</span>
      <Button onClick={() => undo(of)}>{t.undo.button}</Button>
    </>
  )
}
