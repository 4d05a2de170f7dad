import { memo } from 'react'
import type { Check, SwitchRun, SwitchStep } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { lookAt } from '../../state/switch.ts'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { useSwitchNow } from './step-props.ts'
import { type Place, type StepState, stepStates } from './step-state.ts'

type Props = { readonly run: SwitchRun; readonly shown: SwitchStep }

/** All steps with what is so of each now. One that is not due can be read, and gone back to from there. */
export function Stepper({ run, shown }: Props) {
  const checks = useSwitchNow(now => now.checks)
  const lastArrivalAt = useSwitchNow(now => now.lastArrivalAt)
  return (
    <nav className="stepper" aria-label={t.switch.steps}>
      <ol>
        {stepStates(run, checks, lastArrivalAt).map(({ step, place, passed, is }, i) => (
          <StepItem
            key={step}
            n={i + 1}
            step={step}
            place={place}
            is={is}
            passed={passed}
            isShown={step === shown}
          />
        ))}
      </ol>
    </nav>
  )
}

type ItemProps = StepState & { readonly n: number; readonly isShown: boolean }

const StepItem = memo(function StepItem({ n, step, place, is, passed, isShown }: ItemProps) {
  const words = t.switch
  const { title } = STEP_WORDS[step]
  return (
    <li className="step" data-place={place} data-check={is ?? undefined}>
      <button
        type="button"
        className="step-button"
        aria-current={place === 'current' ? 'step' : undefined}
        aria-pressed={isShown}
        title={passed?.reason ? words.byHandWhy(shownText(passed.reason, 200)) : title}
        onClick={() => lookAt(step)}
      >
        <span className="step-mark" aria-hidden="true">
          {place === 'checked' ? <Icon name="check" size={13} /> : n}
        </span>
        <span className="step-title">{title}</span>
        <span className="step-check" aria-hidden="true">
          <Icon name={checkIcon(place, is)} size={13} />
        </span>
        <span className={place === 'to-come' && is !== 'met' ? 'step-said visually-hidden' : 'step-said'}>
          {sayPlace(place, is, passed?.at ?? null)}
        </span>
      </button>
    </li>
  )
})

function checkIcon(place: Place, is: Check['is'] | null) {
  if (place === 'slipped') return 'warning'
  if (is === 'met') return 'check'
  return is === 'unknown' ? 'question' : 'ring'
}

function sayPlace(place: Place, is: Check['is'] | null, at: number | null): string {
  const words = t.switch
  if (place === 'slipped') return words.places.slipped
  if (place === 'checked' && at !== null) return words.passedAt(at)
  if (place === 'by-hand' && at !== null) return words.byHandAt(at)
  if (place === 'to-come' && is === 'met') return words.already
  return is === null ? words.places[place] : words.checkNames[is]
}
