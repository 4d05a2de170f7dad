import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import type { Failure, Result } from '../../shared/result.ts'
import { closeDialog } from '../state/view.ts'
import { t } from '../words/words.ts'
import { Button } from './Button.tsx'
import styles from './Dialog.module.css'
import { TextField } from './Field.tsx'
import { ErrorNotice } from './Notice.tsx'

type Props = {
  readonly title: string
  readonly onClose?: () => void
  readonly children: ReactNode
  readonly className?: string | undefined
  readonly size?: 'wide' | 'large' | 'sheet'
  /** The title is for assistive tools only, because the input explains the dialog. */
  readonly titleHidden?: boolean
}

/** The platform's modal dialog, which traps the focus. */
export function Dialog({ title, onClose = closeDialog, children, className = '', size, titleHidden }: Props) {
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

type FormProps = {
  readonly submit: string
  readonly look?: 'primary' | 'danger'
  readonly disabled?: boolean
  readonly cancelDisabled?: boolean
  readonly error?: Failure | string | null
  /** What failed, as a sentence before the error's own. */
  readonly what?: string | undefined
  readonly onSubmit: () => void
  readonly onClose?: (() => void) | undefined
  /** More buttons, before these. */
  readonly buttons?: ReactNode
  /** A note right above the buttons. */
  readonly note?: ReactNode
  /** For a form that scrolls: its buttons stay in view. */
  readonly isLong?: boolean
  readonly children?: ReactNode
}

/** The form of a dialog: its fields, its error and its buttons. */
export function DialogForm({ look = 'primary', onSubmit, onClose = closeDialog, ...props }: FormProps) {
  const { submit, disabled, cancelDisabled, error, what, buttons, note, isLong, children } = props
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (!disabled) onSubmit()
      }}
    >
      {children}
      <div className={styles.end} data-long={isLong}>
        {note}
        <ErrorNotice what={what} error={error} />
        <DialogButtons>
          {buttons}
          <Button disabled={cancelDisabled} onClick={onClose}>
            {t.cancel}
          </Button>
          <Button type="submit" look={look} disabled={disabled}>
            {submit}
          </Button>
        </DialogButtons>
      </div>
    </form>
  )
}

type ReasonProps = Omit<FormProps, 'disabled' | 'error' | 'onSubmit'> & {
  readonly label: string
  readonly hint?: string
  /** The dialog closes if the request succeeds. */
  readonly send: (reason: string) => Promise<Result<unknown>>
}

/** The form of a dialog that requires a reason. */
export function ReasonForm({ label, hint, send, children, ...form }: ReasonProps) {
  const [typed, setTyped] = useState('')
  const reason = typed.trim()
  const { working, error, run } = useRequest(() => send(reason), form.onClose ?? closeDialog)
  return (
    <DialogForm {...form} disabled={working || reason === ''} error={error} onSubmit={run}>
      {children}
      <TextField label={label} hint={hint} value={typed} onChange={setTyped} maxLength={2000} autoFocus />
    </DialogForm>
  )
}

/** Sends requests. `done` gets the answer; an error disappears with the next request. */
export function useRequest<T, Args extends readonly unknown[] = []>(
  send: (...args: Args) => Promise<Result<T>>,
  done?: (answer: T) => void,
) {
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const run = async (...args: Args) => {
    setWorking(true)
    // An alert that stays is not announced again.
    setError(null)
    const answer = await send(...args)
    setWorking(false)
    setError(answer.ok ? null : answer.error)
    if (answer.ok) done?.(answer.value)
  }
  return { working, error, clear: () => setError(null), run: (...args: Args) => void run(...args) }
}

type ButtonsProps = { readonly children: ReactNode; readonly className?: string | undefined }

export function DialogButtons({ children, className = '' }: ButtonsProps) {
  return <div className={`${styles.buttons} ${className}`}>{children}</div>
}

type EndProps = {
  readonly onClose?: () => void
  readonly children?: ReactNode
}

/** The buttons of a dialog without a form; the last one closes it. */
export function DialogEnd({ onClose = closeDialog, children }: EndProps) {
  return (
    <DialogButtons>
      {children}
      <Button look="primary" autoFocus onClick={onClose}>
        {t.close}
      </Button>
    </DialogButtons>
  )
}

/** The lock that the dialog is about. */
export function DialogSubject({ children }: { readonly children: ReactNode }) {
  return <p className={`mono ${styles.subject}`}>{children}</p>
}

type AnswerProps = { readonly outcome: string; readonly children: ReactNode }

/** The result, which replaces the form. */
export function DialogAnswer({ outcome, children }: AnswerProps) {
  return (
    <div className={styles.answer} role="status" data-outcome={outcome}>
      {children}
    </div>
  )
}
