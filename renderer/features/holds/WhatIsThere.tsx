import { holdsForMaintenance } from '../../../shared/hold-words.ts'
import type { HoldChoices } from '../../../shared/holds.ts'
import { expiresAtOf } from '../../../shared/lease.ts'
import { holderText } from '../../../shared/lock-words.ts'
import type { Result } from '../../../shared/result.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Holds.module.css'
import { isTaken } from './hold-draft.ts'

type Props = { readonly answer: Result<HoldChoices> | null; readonly now: number }

/** Live: whether the lock can be had, and who has it. */
export function WhatIsThere({ answer, now }: Props) {
  const { tone, icon, text } = sayThere(answer, now)
  return (
    <p className={styles.availability} role="status" data-tone={tone}>
      <Icon name={icon} /> {text}
    </p>
  )
}

type Said = {
  readonly tone: 'calm' | 'live' | 'warn' | 'danger'
  readonly icon: IconName
  readonly text: string
}

function sayThere(answer: Result<HoldChoices> | null, now: number): Said {
  const words = t.holds.there
  if (answer === null) return { tone: 'calm', icon: 'again', text: words.unknown }
  if (!answer.ok)
    return { tone: 'danger', icon: 'alert', text: `${words.unread} ${sentence(answer.error.message)}` }
  const { problem, current } = answer.value
  if (problem !== null) return { tone: 'danger', icon: 'alert', text: sentence(problem) }
  if (current === null) return { tone: 'live', icon: 'check', text: words.free }
  const who = holdsForMaintenance(current.owner) ?? shownText(holderText(current), 120)
  if (!isTaken(current, now)) return { tone: 'live', icon: 'check', text: words.expired(who) }
  const until = expiresAtOf(current.lease)
  return {
    tone: 'warn',
    icon: 'ring',
    text: until === null ? words.heldBy(who) : words.heldByUntil(who, until),
  }
}
