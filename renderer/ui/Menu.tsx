import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from './Button.tsx'
import styles from './Menu.module.css'

type MenuItem = {
  readonly label: string
  readonly run: () => void
  /** For items that are on or off. */
  readonly checked?: boolean
}

type Props = {
  readonly label: string
  readonly children: ReactNode
  readonly items: readonly MenuItem[]
  readonly className?: string | undefined
  /** Stays open after a choice, for several choices in a row. */
  readonly sticky?: boolean
}

/** A button that opens a list of actions. Arrow keys move, Escape closes and restores the focus. */
export function Menu({ label, children, items, className = '', sticky = false }: Props) {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()

  useEffect(() => {
    if (!open) return
    box.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus()
    const onPointer = (event: PointerEvent) => {
      if (!box.current?.parentElement?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', onPointer)
    return () => document.removeEventListener('pointerdown', onPointer)
  }, [open])

  const close = () => {
    setOpen(false)
    button.current?.focus()
  }

  return (
    <div className={`${styles.menu} ${className}`}>
      <Button
        ref={button}
        look="quiet"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!open)}
      >
        {children}
      </Button>
      {open && (
        <div
          ref={box}
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          className={styles.list}
          onKeyDown={event => {
            const all = [...(box.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
            const at = all.indexOf(document.activeElement as HTMLElement)
            const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[
              event.key
            ]
            event.stopPropagation()
            if (event.key === 'Escape') close()
            else if (event.key === 'Tab') setOpen(false)
            else if (to !== undefined) {
              event.preventDefault()
              all[to % all.length]?.focus()
            }
          }}
        >
          {items.map(item => (
            <button
              key={item.label}
              type="button"
              {...(item.checked === undefined
                ? { role: 'menuitem' }
                : { role: 'menuitemcheckbox', 'aria-checked': item.checked })}
              tabIndex={-1}
              className={styles.item}
              onClick={() => {
                if (!sticky) close()
                item.run()
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
