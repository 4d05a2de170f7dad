import { useEffect, useState } from 'react'
import { announceNews } from './alert-signs.ts'

/** For screen readers: new critical alerts. */
export function AlertAnnouncer() {
  const [text, setText] = useState('')
  useEffect(() => announceNews(setText), [])
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  )
}
