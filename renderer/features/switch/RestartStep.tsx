import { reachedAt } from '../../../shared/switch-steps.ts'
import { useNow } from '../../state/clock.ts'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { StepFigure, StepFigures } from './StepFigures.tsx'
import { type StepProps, useSwitchNow } from './step-props.ts'
import { isWorkedIn } from './step-state.ts'

export function RestartStep({ run }: StepProps) {
  const words = t.switch.restart
  const first = useSwitchNow(now => now.firstArrivalInNewAt)
  const from = useSwitchNow(now => now.from)
  const to = useSwitchNow(now => now.to)
  const name = shownText(run.to.storeName, 60)
  if (!from || !to) return null
  return (
    <section
      className="card restart"
      aria-label={words.newHeld}
      data-behind={to.status !== 'live' || undefined}
    >
      {first === null ? (
        <Waiting name={name} since={reachedAt(run, 'restart') ?? run.begunAt} />
      ) : (
        <p className="first-lock first-lock-came">
          <Icon name="check" size={16} /> {words.came(name, first)}
        </p>
      )}
      <StepFigures label={words.newHeld}>
        <StepFigure name={words.newHeld} value={to.held} tone="live" />
        <StepFigure name={words.newRate} value={to.acquiredPerMinute} say={t.switch.understand.perMinute} />
        <StepFigure name={words.oldHeld} value={from.held} tone={isWorkedIn(from) ? 'danger' : undefined} />
      </StepFigures>
    </section>
  )
}

function Waiting({ name, since }: { readonly name: string; readonly since: number }) {
  const now = useNow()
  const words = t.switch.restart
  return (
    <p className="first-lock">
      <span className="first-lock-dot" aria-hidden="true" />
      {words.waiting(name)} <span className="faint number">{words.waitingFor(Math.max(0, now - since))}</span>
    </p>
  )
}
