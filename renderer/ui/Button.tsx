import { type ComponentProps, useEffect, useState } from 'react'
import { t } from '../words/words.ts'
import styles from './Button.module.css'

type Props = ComponentProps<'button'> & {
  readonly look?: 'primary' | 'danger' | 'quiet' | 'link' | undefined
  /** Stands at the start of its line, apart from the buttons after it. */
  readonly start?: boolean
}

export function Button({ look, start = false, className = '', ...rest }: Props) {
  return (
    <button
      type="button"
      data-look={look}
      data-start={start || undefined}
      {...rest}
      className={`${look === 'link' ? styles.link : styles.button} ${className}`}
    />
  )
}

type CopyProps = { readonly text: string; readonly label: string }

/** Confirms the copy only if it succeeded. */
export function CopyButton({ text, label }: CopyProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => setCopied(false),
        )
      }
    >
      <span aria-live="polite">{copied ? t.copied : label}</span>
    </Button>
  )
}
