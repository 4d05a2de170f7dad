import type { ReactNode } from 'react'
import { t } from '../../words/words.ts'

export function StepFigures({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="figures" role="group" aria-label={label}>
      <dl>{children}</dl>
    </div>
  )
}

type Props = {
  readonly name: string
  readonly value: number | null
  readonly say?: (value: number) => string
  /** How it looks while it is not nothing. */
  readonly tone?: 'warn' | 'danger' | 'live' | undefined
}

export function StepFigure({ name, value, say = t.number, tone }: Props) {
  return (
    <div className="figure" data-tone={value ? tone : undefined}>
      <dt>{name}</dt>
      <dd>{value === null ? t.switch.understand.nothing : say(value)}</dd>
    </div>
  )
}
