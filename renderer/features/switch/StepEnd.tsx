import { useState } from 'react'
import type { Failure, Result } from '../../../shared/result.ts'
import { SWITCH_STEPS, type SwitchRun, type SwitchStep } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { act, lookAt } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'
import { CheckLine } from './CheckLine.tsx'
import { ReasonForm } from './ReasonForm.tsx'
import { useSwitchNow } from './step-props.ts'
import { nextStep } from './step-state.ts'

type Props = { readonly run: SwitchRun; readonly step: SwitchStep }

/** What the check says, and the one way on that follows from it. */
export function StepEnd({ run, step }: Props) {
  const [asking, setAsking] = useState(false)
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const is = useSwitchNow(now => now.checks[step]?.is ?? null)
  const words = t.switch
  const next = nextStep(step)
  const { switchId } = run

  async function send(work: () => Promise<Result<unknown>>) {
    setWorking(true)
    setError(null)
    const answer = await work()
    setWorking(false)
    if (!answer.ok) setError(answer.error)
  }
  const pass = (reason?: string) =>
    send(() => act('switch.pass', { switchId, step, ...(reason === undefined ? {} : { reason }) }))

  const isMet = is === 'met'
  const earlier = SWITCH_STEPS.indexOf(step) < SWITCH_STEPS.indexOf(run.step)
  return (
    <footer className="step-end">
      <div className="step-end-line">
        <CheckLine run={run} step={step} />
        {step !== run.step ? (
          <div className="step-buttons">
            {earlier ? (
              <Button
                disabled={working}
                title={words.backText}
                onClick={() => void send(() => act('switch.back', { switchId, step }))}
              >
                {words.back}
              </Button>
            ) : (
              <span className="muted">{words.later}</span>
            )}
            <Button look="primary" onClick={() => lookAt(null)}>
              {words.toCurrent(STEP_WORDS[run.step].title)}
            </Button>
          </div>
        ) : (
          !asking && (
            <div className="step-buttons">
              {!isMet && (
                <Button disabled={working} onClick={() => setAsking(true)}>
                  {step === 'clean' ? words.leave : step === 'change' ? words.elsewhere : words.anyway}
                </Button>
              )}
              <Button look="primary" disabled={!isMet || working} onClick={() => void pass()}>
                {working ? words.passing : next === null ? words.finish : words.pass(STEP_WORDS[next].title)}
              </Button>
            </div>
          )
        )}
      </div>
      {asking && step === run.step && (
        <ReasonForm
          disabled={working}
          onCancel={() => setAsking(false)}
          onSend={reason => void pass(reason)}
        />
      )}
      <ErrorNotice what={!error?.uncertain && words.failedToPass} error={error} />
    </footer>
  )
}
