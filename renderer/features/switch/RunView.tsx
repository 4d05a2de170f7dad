import { memo, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { SwitchNow, SwitchRun, SwitchStep } from '../../../shared/switch.ts'
import { stepNumber } from '../../../shared/switch-steps.ts'
import { checkSentence, STEP_WORDS } from '../../../shared/switch-words.ts'
import { act, followSwitch, lookAt, shownRun, showSwitch, switchStore } from '../../state/switch.ts'
import { Announcer } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, ReasonForm } from '../../ui/Dialog.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import viewStyles from '../../ui/View.module.css'
import { ViewHead } from '../../ui/View.tsx'
import { sentence, shownText, t } from '../../words/words.ts'
import { SideName, type StepProps } from './parts.tsx'
import styles from './RunView.module.css'
import { Step } from './Step.tsx'
import { openStrays, type StepState, stepStates } from './step-state.ts'

/** A switch in progress: the steps at the left, the current one at the right. */
export function RunView({ run }: { readonly run: SwitchRun }) {
  const { switchId } = run
  useEffect(() => followSwitch(switchId), [switchId])
  const step = useStore(switchStore, state => state.looking) ?? run.step
  const now = useStore(switchStore, state => state.now)
  return (
    <>
      <RunHead run={run} />
      <div className={styles.run}>
        <Stepper run={run} now={now} shown={step} />
        <Step run={run} now={now} step={step} />
      </div>
      <CheckAnnouncer switchId={switchId} />
    </>
  )
}

export function RunHead({ run }: { readonly run: SwitchRun }) {
  const [isAbandoning, setAbandoning] = useState(false)
  const words = t.switch
  return (
    <ViewHead title={words.title}>
      <p className={styles.between}>
        <SideName side={run.from} />
        <span className="faint" aria-hidden="true">
          →
        </span>
        <SideName side={run.to} />
      </p>
      <span className={`${viewStyles.end} ${styles.headEnd}`}>
        <span className={`faint ${styles.begun}`}>{words.begunBy(run.begunAt, shownText(run.by, 40))}</span>
        <Button look="quiet" onClick={() => showSwitch(null)}>
          {words.list.all}
        </Button>
        {run.ended === null && <Button onClick={() => setAbandoning(true)}>{words.abandon}</Button>}
      </span>
      {isAbandoning && <AbandonDialog run={run} onClose={() => setAbandoning(false)} />}
    </ViewHead>
  )
}

type AbandonProps = { readonly run: SwitchRun; readonly onClose: () => void }

function AbandonDialog({ run: { switchId }, onClose }: AbandonProps) {
  const words = t.switch
  return (
    <Dialog title={words.abandonTitle} onClose={onClose}>
      <ReasonForm
        label={words.reason}
        submit={words.confirmAbandon}
        look="danger"
        what={words.failedToAbandon}
        send={reason => act('switch.abandon', { switchId, reason })}
        onClose={onClose}
      >
        <p className="muted">{words.abandonText}</p>
      </ReasonForm>
    </Dialog>
  )
}

type StepperProps = { readonly run: SwitchRun; readonly now: SwitchNow | null; readonly shown: SwitchStep }

/** All steps with their current state. Any of them can be opened to read it, or to go back to an earlier one. */
function Stepper({ run, now, shown }: StepperProps) {
  return (
    <nav className={styles.stepper} aria-label={t.switch.steps}>
      <ol>
        {stepStates(run, now?.checks ?? null, now?.lastArrivalAt ?? null).map(state => (
          <StepItem key={state.step} isShown={state.step === shown} {...state} />
        ))}
      </ol>
    </nav>
  )
}

const StepItem = memo(function StepItem({ isShown, ...state }: StepState & { readonly isShown: boolean }) {
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
          {place === 'checked' ? <Icon name="check" size={13} /> : stepNumber(step)}
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

/** For screen readers: announces a check that turns and trouble that starts, once. Numbers and meters are never announced. */
function CheckAnnouncer({ switchId }: { readonly switchId: string }) {
  const [text, setText] = useState('')
  useEffect(
    () =>
      switchStore.subscribe((state, before) => {
        const [run, earlier] = [shownRun(state), shownRun(before)]
        if (!run || !state.now || !before.now || run.switchId !== switchId) return
        const news = newsOf({ run, now: state.now }, { run: earlier, now: before.now })
        if (news !== null) setText(news)
      }),
    [switchId],
  )
  return <Announcer text={text} />
}

type Before = { readonly run: SwitchRun | null; readonly now: SwitchNow }

function newsOf({ run, now }: StepProps, before: Before): string | null {
  const words = t.switch
  const known = new Set(before.now.splits.map(({ name }) => name))
  const split = now.splits.find(({ name }) => !known.has(name))
  if (split) return words.announceSplit(shownText(split.name, 80))
  const [stray] = openStrays(run)
  if (stray && before.run && stray.at > (openStrays(before.run)[0]?.at ?? 0))
    return words.announceStray(shownText(stray.key, 80))
  const { is } = now.checks[run.step]
  if (is === before.now.checks[run.step].is) return null
  return words.announce(STEP_WORDS[run.step].title, sentence(checkSentence(run.step, run, now)))
}
