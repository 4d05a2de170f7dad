import { Button } from '../../ui/Button.tsx'
import { t } from '../../words/words.ts'
import styles from './Stopped.module.css'

/** An error page instead of a blank one. */
export function Stopped() {
  return (
    <main className={styles.page} role="alert">
      <h1>{t.errors.title}</h1>
      <p>{t.errors.text}</p>
      <Button look="primary" onClick={() => location.reload()}>
        {t.errors.reload}
      </Button>
    </main>
  )
}
