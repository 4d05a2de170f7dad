import { useStore } from 'zustand'
import { ask, consoleStore } from '../../state/console.ts'
import { makePlan } from '../../state/plan.ts'
import { Button } from '../../ui/Button.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { StepFigure, StepFigures } from './StepFigures.tsx'
import { type StepProps, useSwitchNow } from './step-props.ts'

export function CleanStep({ run }: StepProps) {
  const words = t.switch.clean
  const from = useSwitchNow(now => now.from)
  const is = useSwitchNow(now => now.checks.clean?.is ?? null)
  const isReadOnly = useStore(
    consoleStore,
    state => state.entries.find(({ storeId }) => storeId === run.from.storeId)?.readOnly === true,
  )
  if (!from) return null
  const { switchId } = run
  return (
    <section className="card clean" aria-label={words.left} data-behind={from.status !== 'live' || undefined}>
      <StepFigures label={words.left}>
        <StepFigure name={words.held} value={from.held} tone="warn" />
        <StepFigure name={words.expired} value={from.expired} tone="danger" />
        {from.unrecognised !== null && from.unrecognised > 0 && (
          <StepFigure name={words.unrecognised} value={from.unrecognised} />
        )}
      </StepFigures>
      {from.unrecognised !== null && from.unrecognised > 0 && (
        <p className="card-note muted">{words.unrecognisedNote}</p>
      )}
      {is === 'met' ? (
        <p className="card-note muted">{words.empty}</p>
      ) : isReadOnly ? (
        <p className="view-notice">{words.readOnly(shownText(run.from.storeName, 60))}</p>
      ) : (
        <p className="clean-plan">
          <Button
            className="release-all"
            disabled={from.status !== 'live'}
            onClick={() =>
              void makePlan(words.making, words.makingText, () => ask('switch.plan', { switchId }))
            }
          >
            {words.plan}
          </Button>
          <span className="muted">{words.planHint}</span>
        </p>
      )}
      {run.planIds.length > 0 && <p className="card-note faint">{words.plans(run.planIds.length)}</p>}
    </section>
  )
}
