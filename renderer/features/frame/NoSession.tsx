import { t } from '../../words/words.ts'
import styles from './Stopped.module.css'

/** Replaces the whole console: what the session showed must not stay on the screen. */
export function NoSession() {
  return (
    <main className={styles.page}>
      <h1>{t.session.title}</h1>
      <p>{t.session.text}</p>
    </main>
  )
}
