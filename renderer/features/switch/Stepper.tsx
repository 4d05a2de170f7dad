import { memo } from 'react'
import type { SwitchStep } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { lookAt } from '../../state/switch.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Switch.module.css'
import { type StepState, stepStates } from './step-state.ts'
import { type StepProps, useSwitchNow } from './use-switch.ts'

type Props = StepProps & { readonly shown: SwitchStep }

/** All steps with their current state. Any step can be read, and an earlier one gone back to from there. */
export function Stepper({ run, shown }: Props) {
  const checks = useSwitchNow(now => now.checks)
  const lastArrivalAt = useSwitchNow(now => now.lastArrivalAt)
  return (
    <nav className={styles.stepper} aria-label={t.switch.steps}>
      <ol>
        {stepStates(run, checks, lastArrivalAt).map((state, i) => (
          <StepItem key={state.step} n={i + 1} isShown={state.step === shown} {...state} />
        ))}
      </ol>
    </nav>
  )
}

type ItemProps = StepState & { readonly n: number; readonly isShown: boolean }

const StepItem = memo(function StepItem({ n, isShown, ...state }: ItemProps) {
  const { step, place, passed, is } = state
  const { title } = STEP_WORDS[step]
  const isQuiet = place === 'to-come' && is !== 'met'
  return (
    <li className={styles.step} data-place={place} data-check={is ?? undefined}>
      <button
        type="button"
        aria-current={place === 'current' ? 'step' : undefined}
        aria-pressed={isShown}
        title={passed?.reason ? t.switch.byHandWhy(shownText(passed.reason, 200)) : title}
        onClick={() => lookAt(step)}
      >
        <span className={styles.mark} aria-hidden="true">
          {place === 'checked' ? <Icon name="check" size={13} /> : n}
        </span>
        <span className={styles.stepTitle}>{title}</span>
        <span className={styles.stepCheck} aria-hidden="true">
          <Icon name={checkIcon(state)} size={13} />
        </span>
        <span className={isQuiet ? `${styles.said} visually-hidden` : styles.said}>{sayPlace(state)}</span>
      </button>
    </li>
  )
})

function checkIcon({ place, is }: StepState): IconName {
  if (place === 'slipped') return 'warning'
  if (is === 'met') return 'check'
  return is === 'unknown' ? 'question' : 'ring'
}

function sayPlace({ place, is, passed }: StepState): string {
  const words = t.switch
  if (place === 'slipped') return words.places.slipped
  if (place === 'checked' && passed) return words.passedAt(passed.at)
  if (place === 'by-hand' && passed) return words.byHandAt(passed.at)
  if (place === 'to-come' && is === 'met') return words.already
  return is === null ? words.places[place] : words.checkNames[is]
}
