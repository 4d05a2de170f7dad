import { type ComponentType, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { neutralise } from '../../../shared/safe-text.ts'
import {
  type Check,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
  type SwitchStep,
} from '../../../shared/switch.ts'
import { isBeyond, nextStep, stepNumber } from '../../../shared/switch-steps.ts'
import { checkSentence, STEP_WORDS } from '../../../shared/switch-words.ts'
import { act, lookAt, switchStore } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import viewStyles from '../../ui/View.module.css'
import { sentence, t } from '../../words/words.ts'
import { ChangeStep } from './ChangeStep.tsx'
import type { StepProps } from './parts.tsx'
import styles from './Step.module.css'
import { CleanStep, DrainStep, RestartStep, StopStep, UnderstandStep, VerifyStep } from './StepFacts.tsx'
import { Trouble } from './Trouble.tsx'

const FACTS: Readonly<Record<SwitchStep, ComponentType<StepProps>>> = {
  understand: UnderstandStep,
  stop: StopStep,
  drain: DrainStep,
  change: ChangeStep,
  clean: CleanStep,
  restart: RestartStep,
  verify: VerifyStep,
}

type Props = { readonly run: SwitchRun; readonly now: SwitchNow | null; readonly step: SwitchStep }

/** One step: trouble, instructions and facts, and below them its check and the buttons. */
export function Step({ run, now, step }: Props) {
  const body = useRef<HTMLDivElement>(null)
  const lost = useStore(switchStore, state => state.lost)
  const before = useRef(step)
  useEffect(() => {
    // The focused element was removed with the step before.
    if (before.current !== step && document.activeElement === document.body) body.current?.focus()
    before.current = step
  }, [step])
  const words = t.switch
  const { title, instruction } = STEP_WORDS[step]
  const Facts = FACTS[step]
  return (
    <div className={styles.main}>
      <div
        ref={body}
        key={step}
        className={`${viewStyles.body} ${styles.body}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
        tabIndex={0}
        role="group"
        aria-label={title}
      >
        <ErrorNotice what={words.lost} error={lost} />
        {now && <Trouble run={run} now={now} />}
        <header className={styles.stepHead}>
          <p className={styles.count}>
            {words.heading(stepNumber(step), SWITCH_STEPS.length)}
            {step === 'clean' && ` · ${words.optional}`}
          </p>
          <h2>{title}</h2>
          <p className={styles.instruction}>{neutralise(instruction(run))}</p>
        </header>
        {now ? <Facts run={run} now={now} /> : <p className="muted">{words.connecting}</p>}
      </div>
      <StepEnd key={`${step} end`} run={run} now={now} step={step} />
    </div>
  )
}

/** Labels of the buttons that pass an unmet step. */
const BY_HAND: Partial<Record<SwitchStep, string>> = { change: t.switch.elsewhere, clean: t.switch.leave }

/** The state of the check, and the buttons that follow from it. */
function StepEnd({ run, now, step }: Props) {
  /** The reason to pass an unmet step; null while its form is closed. */
  const [typed, setTyped] = useState<string | null>(null)
  const reason = typed?.trim() ?? ''
  const { switchId } = run
  const pass = useRequest(() => act('switch.pass', { switchId, step, ...(typed === null ? {} : { reason }) }))
  const back = useRequest(() => act('switch.back', { switchId, step }))
  const words = t.switch
  const isMet = now?.checks[step].is === 'met'
  const isCurrent = step === run.step
  const working = pass.working || back.working
  const error = pass.error ?? back.error
  const next = nextStep(step)
  const passText = next === null ? words.finish : words.pass(STEP_WORDS[next].title)
  return (
    <footer className={styles.end}>
      <div className={styles.endLine}>
        <p className={styles.check} data-check={now?.checks[step].is}>
          {now && <CheckState run={run} now={now} step={step} />}
        </p>
        {!isCurrent && (
          <div className={styles.buttons}>
            {isBeyond(run, step) ? (
              <Button disabled={working} title={words.backText} onClick={back.run}>
                {words.back}
              </Button>
            ) : (
              <span className="muted">{words.later}</span>
            )}
            <Button look="primary" onClick={() => lookAt(null)}>
              {words.toCurrent(STEP_WORDS[run.step].title)}
            </Button>
          </div>
        )}
        {isCurrent && typed === null && (
          <div className={styles.buttons}>
            {!isMet && (
              <Button disabled={working} onClick={() => setTyped('')}>
                {BY_HAND[step] ?? words.anyway}
              </Button>
            )}
            <Button look="primary" disabled={!isMet || working} onClick={pass.run}>
              {working ? words.passing : passText}
            </Button>
          </div>
        )}
      </div>
      {isCurrent && typed !== null && (
        <form
          className={styles.reason}
          aria-label={words.confirmAnyway}
          onSubmit={event => {
            event.preventDefault()
            if (reason !== '') pass.run()
          }}
          onKeyDown={event => {
            if (event.key === 'Escape') setTyped(null)
          }}
        >
          <TextField
            label={words.reason}
            hint={words.anywayText}
            value={typed}
            onChange={setTyped}
            maxLength={2000}
            autoFocus
          />
          <Button onClick={() => setTyped(null)}>{t.cancel}</Button>
          <Button type="submit" disabled={working || reason === ''}>
            {words.confirmAnyway}
          </Button>
        </form>
      )}
      <ErrorNotice what={!error?.uncertain && words.failedToPass} error={error} />
    </footer>
  )
}

const CHECK_ICONS: Readonly<Record<Check['is'], IconName>> = {
  met: 'check',
  'not-yet': 'ring',
  unknown: 'question',
}

function CheckState({ run, now, step }: StepProps & { readonly step: SwitchStep }) {
  const { is, since } = now.checks[step]
  return (
    <>
      {/* A new element for every change starts the animation. */}
      <span key={is} className={styles.checkIcon}>
        <Icon name={CHECK_ICONS[is]} size={15} />
      </span>
      <span>
        {sentence(checkSentence(step, run, now))}{' '}
        {is === 'met' && <span className={`${styles.since} number`}>{t.switch.checkSince(since)}</span>}
      </span>
    </>
  )
}
