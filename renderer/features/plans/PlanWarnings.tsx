import { useStore } from 'zustand'
import { type PlanWarningCode, planWarnings } from '../../../shared/plan-words.ts'
import type { PlanSummary } from '../../../shared/plans.ts'
import { consoleStore } from '../../state/console.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { Icon } from '../../ui/Icon.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Plans.module.css'
import { useShape } from './use-plan-view.ts'

/** Warnings of a working holder, or of a release that cannot be undone. */
const GRAVE: ReadonlySet<PlanWarningCode> = new Set([
  'production',
  'maintenance',
  'renewing',
  'runs-twice',
  'no-undo',
  'may-crash',
])

export function PlanWarnings({ book, plan }: { readonly book: PlanBook; readonly plan: PlanSummary }) {
  const formats = useStore(consoleStore, state => state.formats)
  const warnings = useShape(book, () => planWarnings(plan, book.kept(), formats), [formats, plan.planId])
  return (
    <section className={styles.warnings} aria-label={t.plans.warnings}>
      <h3>{t.plans.warnings}</h3>
      {warnings.length === 0 ? (
        <p className="muted">{t.plans.noWarnings}</p>
      ) : (
        <ul>
          {warnings.map(warning => (
            <li key={warning.sentence} data-grave={GRAVE.has(warning.code) || undefined}>
              <Icon name={GRAVE.has(warning.code) ? 'alert' : 'half'} size={12} />
              <span>{sentence(warning.sentence)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
