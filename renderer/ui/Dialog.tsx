import { type ReactNode, useEffect, useId, useRef } from 'react'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly className?: string
  /** A palette says what it is by its input; the title is for assistive tools alone. */
  readonly titleHidden?: boolean
}

/** The platform's modal dialog: it keeps the focus in, and Escape closes it. */
export function Dialog({ title, onClose, children, className = '', titleHidden = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const before = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      // The keys go on where they were before the dialog.
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; Escape is the key for it
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onClick={event => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div className="dialog-body">
        <h2 id={titleId} className={titleHidden ? 'visually-hidden' : 'dialog-title'}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}
