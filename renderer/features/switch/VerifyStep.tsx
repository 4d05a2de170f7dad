import { isSeenAfterRestart } from '../../../shared/switch-steps.ts'
import { act } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { t } from '../../words/words.ts'
import { QuietMeter } from './QuietMeter.tsx'
import { StepFigure, StepFigures } from './StepFigures.tsx'
import { type StepProps, useSwitchNow } from './step-props.ts'
import { isWorkedIn, openStrays } from './step-state.ts'

export function VerifyStep({ run }: StepProps) {
  const words = t.switch.verify
  const from = useSwitchNow(now => now.from)
  const to = useSwitchNow(now => now.to)
  const splits = useSwitchNow(now => now.splits.length)
  const isSeen = isSeenAfterRestart(run)
  if (!from || !to) return null
  const isBehind = from.status !== 'live' || to.status !== 'live'
  return (
    <section className="card verify" aria-label={words.newHeld} data-behind={isBehind || undefined}>
      <StepFigures label={words.newHeld}>
        <StepFigure name={words.newHeld} value={to.held} tone="live" />
        <StepFigure name={words.newRate} value={to.acquiredPerMinute} say={t.switch.understand.perMinute} />
        <StepFigure name={words.oldHeld} value={from.held} tone={isWorkedIn(from) ? 'danger' : undefined} />
        <StepFigure name={words.splits} value={splits} tone="danger" />
      </StepFigures>
      {/* One that a worker holds is not quiet, however long ago it was taken; and after a worker was seen, quiet proves nothing. */}
      {from.held !== null && !isWorkedIn(from) && !isSeen && (
        <QuietMeter label={words.oldQuiet} quietMs={run.quietMs} />
      )}
      {/* Of strays, and of what goes on, is told above. */}
      {isSeen && !splits && openStrays(run).length === 0 && (
        <p className="clean-plan">
          <Button onClick={() => void act('switch.back', { switchId: run.switchId, step: 'stop' })}>
            {t.switch.trouble.backToStop}
          </Button>
          <span className="muted">{words.seen}</span>
        </p>
      )}
    </section>
  )
}
