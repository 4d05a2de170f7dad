import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './Dialog.module.css'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly className?: string | undefined
  readonly size?: 'wide' | 'large' | 'sheet'
  /** For a dialog that its input explains; the title is then for assistive tools only. */
  readonly titleHidden?: boolean
}

/** The platform's modal dialog, which traps the focus. */
export function Dialog({ title, onClose, children, className = '', size, titleHidden = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // A layout effect ends while the dialog is still in the page; only then does closing it restore the focus.
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

type ButtonsProps = { readonly children: ReactNode; readonly className?: string | undefined }

export function DialogButtons({ children, className = '' }: ButtonsProps) {
  return <div className={`${styles.buttons} ${className}`}>{children}</div>
}

/** The lock that the dialog is about. */
export function DialogSubject({ children }: { readonly children: ReactNode }) {
  return <p className={`mono ${styles.subject}`}>{children}</p>
}

type AnswerProps = { readonly outcome: string; readonly children: ReactNode }

/** The result, in place of the form. */
export function DialogAnswer({ outcome, children }: AnswerProps) {
  return (
    <div className={styles.answer} role="status" data-outcome={outcome}>
      {children}
    </div>
  )
}
