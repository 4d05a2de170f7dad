import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'

type Props = {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}

/** Stands where there is nothing to show: why, and what to do about it. */
export function Empty({ icon, title, text, children }: Props) {
  return (
    <div className="empty" role="status">
      <Icon name={icon} size={22} />
      <h2>{title}</h2>
      {text !== '' && <p>{text}</p>}
      {children}
    </div>
  )
}
