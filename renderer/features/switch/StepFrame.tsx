import { type ComponentType, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { neutralise } from '../../../shared/safe-text.ts'
import { type Check, SWITCH_STEPS, type SwitchStep } from '../../../shared/switch.ts'
import { checkSentence, STEP_WORDS } from '../../../shared/switch-words.ts'
import { act, lookAt, switchStore } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence } from '../../ui/shown-text.ts'
import viewStyles from '../../ui/View.module.css'
import { t } from '../../words/words.ts'
import { ChangeStep } from './ChangeStep.tsx'
import { DrainStep } from './DrainStep.tsx'
import { CleanStep, RestartStep, VerifyStep } from './FigureSteps.tsx'
import { StopStep } from './StopStep.tsx'
import styles from './Switch.module.css'
import { nextStep } from './step-state.ts'
import { SideNotices, Trouble } from './Trouble.tsx'
import { UnderstandStep } from './UnderstandStep.tsx'
import { type StepProps, useSend, useSwitchNow } from './use-switch.ts'

type Props = StepProps & { readonly step: SwitchStep }

const BODIES: Readonly<Record<SwitchStep, ComponentType<StepProps>>> = {
  understand: UnderstandStep,
  stop: StopStep,
  drain: DrainStep,
  change: ChangeStep,
  clean: CleanStep,
  restart: RestartStep,
  verify: VerifyStep,
}

/** One step: trouble, what to do, the facts of the step, and below them its check with the way on. */
export function StepFrame({ run, step }: Props) {
  const body = useRef<HTMLDivElement>(null)
  const isKnown = useStore(switchStore, state => state.now !== null)
  const lost = useStore(switchStore, state => state.lost)
  const before = useRef(step)
  useEffect(() => {
    // The focused element went with the step before.
    if (before.current !== step && document.activeElement === document.body) body.current?.focus()
    before.current = step
  }, [step])
  const words = t.switch
  const { title, instruction } = STEP_WORDS[step]
  const Body = BODIES[step]
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
        <Trouble run={run} />
        <SideNotices run={run} />
        <header className={styles.stepHead}>
          <p className={styles.count}>
            {words.heading(SWITCH_STEPS.indexOf(step) + 1, SWITCH_STEPS.length)}
            {step === 'clean' && ` · ${words.optional}`}
          </p>
          <h2>{title}</h2>
          <p className={styles.instruction}>{neutralise(instruction(run))}</p>
        </header>
        {isKnown ? <Body run={run} /> : <p className="muted">{words.connecting}</p>}
      </div>
      <StepEnd key={`${step} end`} run={run} step={step} />
    </div>
  )
}

/** The state of the check, and the one way on that follows from it. */
function StepEnd({ run, step }: Props) {
  const [isAsking, setAsking] = useState(false)
  const { working, error, send } = useSend()
  const isMet = useSwitchNow(now => now.checks[step]?.is === 'met') === true
  const words = t.switch
  const next = nextStep(step)
  const { switchId } = run
  const isCurrent = step === run.step
  const isEarlier = SWITCH_STEPS.indexOf(step) < SWITCH_STEPS.indexOf(run.step)
  const pass = (reason?: string) =>
    void send(() => act('switch.pass', { switchId, step, ...(reason === undefined ? {} : { reason }) }))
  const byHand: Partial<Record<SwitchStep, string>> = { change: words.elsewhere, clean: words.leave }
  const byHandText = byHand[step] ?? words.anyway
  const passText = next === null ? words.finish : words.pass(STEP_WORDS[next].title)
  return (
    <footer className={styles.end}>
      <div className={styles.endLine}>
        <CheckLine run={run} step={step} />
        {!isCurrent && (
          <div className={styles.buttons}>
            {isEarlier ? (
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
        )}
        {isCurrent && !isAsking && (
          <div className={styles.buttons}>
            {!isMet && (
              <Button disabled={working} onClick={() => setAsking(true)}>
                {byHandText}
              </Button>
            )}
            <Button look="primary" disabled={!isMet || working} onClick={() => pass()}>
              {working ? words.passing : passText}
            </Button>
          </div>
        )}
      </div>
      {isCurrent && isAsking && (
        <ReasonForm disabled={working} onCancel={() => setAsking(false)} onSend={pass} />
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

function CheckLine({ run, step }: Props) {
  const check = useSwitchNow(now => now.checks[step])
  const said = useSwitchNow(now => sentence(checkSentence(step, run, now)))
  if (!check || said === null) return <p className={styles.check} />
  const { is, since } = check
  return (
    <p className={styles.check} data-check={is}>
      {/* A new element for every change starts the animation. */}
      <span key={is} className={styles.checkIcon}>
        <Icon name={CHECK_ICONS[is]} size={15} />
      </span>
      <span>
        {said}{' '}
        {is === 'met' && <span className={`${styles.since} number`}>{t.switch.checkSince(since)}</span>}
      </span>
    </p>
  )
}

type ReasonProps = {
  readonly disabled: boolean
  readonly onCancel: () => void
  readonly onSend: (reason: string) => void
}

/** A step passes without its check only with a reason. */
function ReasonForm({ disabled, onCancel, onSend }: ReasonProps) {
  const [typed, setTyped] = useState('')
  const reason = typed.trim()
  const words = t.switch
  return (
    <form
      className={styles.reason}
      aria-label={words.confirmAnyway}
      onSubmit={event => {
        event.preventDefault()
        if (reason !== '') onSend(reason)
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') onCancel()
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
      <Button onClick={onCancel}>{words.cancel}</Button>
      <Button type="submit" disabled={disabled || reason === ''}>
        {words.confirmAnyway}
      </Button>
    </form>
  )
}
