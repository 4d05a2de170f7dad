import { holdsForMaintenance } from '../../../shared/hold-words.ts'
import type { HoldChoices } from '../../../shared/holds.ts'
import { expiresAtOf } from '../../../shared/lease.ts'
import { holderText } from '../../../shared/lock-words.ts'
import type { Result } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'
import { useAnswer } from '../../state/use-answer.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import styles from './Holds.module.css'
import { isTaken } from './hold-draft.ts'

type Props = { readonly answer: Result<HoldChoices> | null; readonly now: number }

/** Whether the lock is free, and who holds it, kept up to date. */
export function LockAvailability({ answer, now }: Props) {
  const { tone, icon, text } = availabilityOf(answer, now)
  return (
    <p className={styles.availability} role="status" data-tone={tone}>
      <Icon name={icon} /> {text}
    </p>
  )
}

type Availability = {
  readonly tone: 'calm' | 'live' | 'warn' | 'danger'
  readonly icon: IconName
  readonly text: string
}

function availabilityOf(answer: Result<HoldChoices> | null, now: number): Availability {
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

/** After the last keystroke. */
const REST_MS = 250
/** Between two reads, because the holder may change while the dialog is open. */
const AGAIN_MS = 2000

/** The current lock of a key and its possible formats; null until known. */
export function useChoices(storeId: string, key: string): Result<HoldChoices> | null {
  const question = storeId === '' || key === '' ? null : { storeId, key }
  const known = useAnswer(question, of => ask('holds.choices', of), { afterMs: REST_MS, againMs: AGAIN_MS })
  return known?.of.storeId === storeId && known.of.key === key ? known.answer : null
}
