import type { ReactNode } from 'react'
import { sentence } from '../words/words.ts'
import styles from './Notice.module.css'

type Props = {
  /** An alert is read out at once, a status when the reader pauses; none inside a region that is read out already. */
  readonly role?: 'alert' | 'status' | 'none'
  readonly children: ReactNode
}

export function Notice({ role = 'alert', children }: Props) {
  return (
    <div className={styles.notice} role={role}>
      {children}
    </div>
  )
}

type ErrorProps = {
  readonly role?: Props['role']
  /** What failed, as a sentence before the error's own. */
  readonly what?: string | false | undefined
  readonly error: { readonly message: string } | string | null | undefined
}

export function ErrorNotice({ role = 'alert', what, error }: ErrorProps) {
  if (!error) return null
  return (
    <Notice role={role}>
      {what} {sentence(typeof error === 'string' ? error : error.message)}
    </Notice>
  )
}
