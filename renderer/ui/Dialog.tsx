import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './Dialog.module.css'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly className?: string | undefined
  readonly size?: 'wide' | 'large' | 'sheet'
  /** A palette says what it is by its input; the title is for assistive tools alone. */
  readonly titleHidden?: boolean
}

/** The platform's modal dialog: it keeps the focus in, and Escape closes it. */
export function Dialog({ title, onClose, children, className = '', size, titleHidden = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // A layout effect, because it ends while the dialog is still in the page: only then does closing it give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; Escape is the key for it
    <dialog
      ref={ref}
      className={`${styles.dialog} ${className}`}
      data-size={size}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onClick={event => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div className={styles.body}>
        <h2 id={titleId} className={titleHidden ? 'visually-hidden' : styles.title}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}

type ButtonsProps = { readonly children: ReactNode; readonly className?: string }

export function DialogButtons({ children, className = '' }: ButtonsProps) {
  return <div className={`${styles.buttons} ${className}`}>{children}</div>
}

/** The lock that the dialog is about. */
export function DialogSubject({ children }: { readonly children: ReactNode }) {
  return <p className={`mono ${styles.subject}`}>{children}</p>
}

type AnswerProps = { readonly outcome: string; readonly children: ReactNode }

/** What came of it, in place of the form. */
export function DialogAnswer({ outcome, children }: AnswerProps) {
  return (
    <div className={styles.answer} role="status" data-outcome={outcome}>
      {children}
    </div>
  )
}
