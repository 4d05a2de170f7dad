import { useEffect, useState } from 'react'
import { Button } from './Button.tsx'

type Props = { readonly text: string; readonly label: string; readonly done: string }

/** Confirms the copy only if it succeeded. */
export function CopyButton({ text, label, done }: Props) {
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
      <span aria-live="polite">{copied ? done : label}</span>
    </Button>
  )
}
