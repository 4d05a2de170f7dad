import { t } from '../../words/words.ts'
import styles from './Stopped.module.css'

/** In place of everything: what the session showed may be read by nobody after it. */
export function NoSession() {
  return (
    <main className={styles.page}>
      <h1>{t.session.title}</h1>
      <p>{t.session.text}</p>
    </main>
  )
}
