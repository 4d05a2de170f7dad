import { neutralise } from '../../../shared/safe-text.ts'
import { SWITCH_STEPS, type SwitchRun, type SwitchStep } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { t } from '../../words/words.ts'

type Props = { readonly run: SwitchRun; readonly step: SwitchStep }

export function StepHead({ run, step }: Props) {
  const words = t.switch
  const { title, instruction } = STEP_WORDS[step]
  return (
    <header className="step-head">
      <p className="step-count">
        {words.heading(SWITCH_STEPS.indexOf(step) + 1, SWITCH_STEPS.length)}
        {step === 'clean' && ` · ${words.optional}`}
      </p>
      <h2>{title}</h2>
      <p className="step-instruction">{neutralise(instruction(run))}</p>
    </header>
  )
}
