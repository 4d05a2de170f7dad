import { useEffect, useState } from 'react'
import { planOutcome } from '../../../shared/plan-words.ts'
import type { PlanSummary, RefusedPlan } from '../../../shared/plans.ts'
import { ask } from '../../state/console.ts'
import { isAtWork, openPlan } from '../../state/plan.ts'
import { closeDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import chipStyles from '../../ui/Chip.module.css'
import { Dialog, DialogButtons, useRequest } from '../../ui/Dialog.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import styles from './Plans.module.css'
import { choosePlanFile } from './plan-files.ts'

/** The plans of this console, as of when the dialog opens. */
export function PlansDialog() {
  const [known, setKnown] = useState<readonly PlanSummary[] | null>(null)
  const list = useRequest(() => ask('plans.list', {}), setKnown)
  const [refused, setRefused] = useState<readonly RefusedPlan[]>([])
  const others = useRequest(() => ask('plans.refused', {}), setRefused)
  const readAll = () => {
    list.run()
    others.run()
  }
  const removal = useRequest((planId: string) => ask('plans.remove', { planId }), readAll)
  const words = t.plans.all

  // Once, when the dialog opens.
  useEffect(list.run, [])
  useEffect(others.run, [])

  return (
    <Dialog title={words.title} size="large">
      <p className="muted">{words.text}</p>
      <ErrorNotice what={words.failed} error={list.error} />
      <ErrorNotice what={words.failed} error={others.error} />
      <ErrorNotice error={removal.error} />
      {known === null && !list.error && <p role="status">{t.plans.loading}</p>}
      {known?.length === 0 && refused.length === 0 && <p role="status">{words.none}</p>}
      {known && known.length > 0 && (
        <ul aria-label={words.title}>
          {known.map(plan => (
            <PlanItem key={plan.planId} plan={plan} onRemove={() => removal.run(plan.planId)} />
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <>
          <h3>{words.refused}</h3>
          <ul aria-label={words.refused}>
            {refused.map(({ planId, reason }) => (
              <li key={planId} className={styles.item}>
                <div className={styles.itemText}>
                  <span className="mono">{shownText(planId, 64)}</span>
                  <span className={`muted ${styles.itemMore}`}>{sentence(reason)}</span>
                </div>
                <RemoveButton title={planId} onRemove={() => removal.run(planId)} />
              </li>
            ))}
          </ul>
        </>
      )}
      <DialogButtons>
        <Button start onClick={choosePlanFile}>
          {words.openFile}
        </Button>
        <Button look="primary" onClick={closeDialog}>
          {t.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

function PlanItem({ plan, onRemove }: { readonly plan: PlanSummary; readonly onRemove: () => void }) {
  const words = t.plans.all
  const { progress, createdBy } = plan
  const title = t.plans.title[plan.kind](progress.total)
  return (
    <li className={styles.item}>
      <div className={styles.itemText}>
        <Button look="link" aria-label={words.openName(title)} onClick={() => openPlan(plan)}>
          {title}
        </Button>
        <span className={chipStyles.chip} data-tone={isAtWork(progress) ? 'warn' : TONES.get(progress.state)}>
          {t.run.states[progress.state]}
        </span>
        <span className="faint">
          {t.plans.madeBy(shownText(createdBy.user, 60), shownText(createdBy.host, 60), plan.createdAt)}
        </span>
        <span className="faint mono">{shownText(plan.planId, 64)}</span>
        <span className={`muted ${styles.itemMore} clip`}>
          {plan.stores.map(each => shownText(each.name, 60)).join(', ')}
          {plan.filter !== '' && (
            <span className="mono"> {t.plans.filteredBy(shownText(plan.filter, 120))}</span>
          )}
        </span>
        {progress.state !== 'ready' && (
          <span className={`muted ${styles.itemMore}`}>{planOutcome(progress)}</span>
        )}
      </div>
      <RemoveButton title={title} disabled={isAtWork(progress)} onRemove={onRemove} />
    </li>
  )
}

type RemoveProps = { readonly title: string; readonly disabled?: boolean; readonly onRemove: () => void }

/** Asks again before it removes. */
function RemoveButton({ title, disabled = false, onRemove }: RemoveProps) {
  const [confirming, setConfirming] = useState(false)
  const words = t.plans.all
  return (
    <Button
      look={confirming ? 'danger' : undefined}
      disabled={disabled}
      aria-label={confirming ? undefined : words.removeName(title)}
      onBlur={() => setConfirming(false)}
      onClick={() => (confirming ? onRemove() : setConfirming(true))}
    >
      {confirming ? words.confirmRemove : words.remove}
    </Button>
  )
}

/** Of plans that are not running. */
const TONES = new Map<string, string>([
  ['stopped', 'danger'],
  ['done', 'live'],
])
