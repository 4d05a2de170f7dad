import { useNow } from '../../state/clock.ts'
import { undo } from '../../state/plan.ts'
import { Button } from '../../ui/Button.tsx'
import { t } from '../../words/words.ts'
import styles from './Plans.module.css'

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
