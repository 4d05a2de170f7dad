import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { SwitchNow, SwitchRun } from '../../../shared/switch.ts'
import { checkSentence, STEP_WORDS } from '../../../shared/switch-words.ts'
import { act, followSwitch, shownRun, showSwitch, switchStore } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { sentence, shownText } from '../../ui/shown-text.ts'
import viewStyles from '../../ui/View.module.css'
import { ViewHead } from '../../ui/View.tsx'
import { t } from '../../words/words.ts'
import { SideName } from './parts.tsx'
import { StepFrame } from './StepFrame.tsx'
import { Stepper } from './Stepper.tsx'
import styles from './Switch.module.css'
import { openStrays } from './step-state.ts'
import { useSend } from './use-switch.ts'

/** A switch in progress: the steps at the left, the current one at the right. */
export function RunView({ run }: { readonly run: SwitchRun }) {
  const { switchId } = run
  useEffect(() => followSwitch(switchId), [switchId])
  const step = useStore(switchStore, state => state.looking) ?? run.step
  return (
    <>
      <RunHead run={run} />
      <div className={styles.run}>
        <Stepper run={run} shown={step} />
        <StepFrame run={run} step={step} />
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
  const [typed, setTyped] = useState('')
  const { working, error, send } = useSend()
  const words = t.switch
  const reason = typed.trim()
  return (
    <Dialog title={words.abandonTitle} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void send(() => act('switch.abandon', { switchId, reason })).then(({ ok }) => ok && onClose())
        }}
      >
        <p className="muted">{words.abandonText}</p>
        <TextField label={words.reason} value={typed} onChange={setTyped} maxLength={2000} autoFocus />
        <ErrorNotice what={words.failedToAbandon} error={error} />
        <DialogButtons>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" look="danger" disabled={working || reason === ''}>
            {words.confirmAbandon}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
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
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  )
}

function newsOf(
  { run, now }: { readonly run: SwitchRun; readonly now: SwitchNow },
  before: { readonly run: SwitchRun | null; readonly now: SwitchNow },
): string | null {
  const words = t.switch
  const known = new Set(before.now.splits.map(({ name }) => name))
  const split = now.splits.find(({ name }) => !known.has(name))
  if (split) return words.announceSplit(shownText(split.name, 80))
  const [stray] = openStrays(run)
  if (stray && before.run && stray.at > (openStrays(before.run)[0]?.at ?? 0))
    return words.announceStray(shownText(stray.key, 80))
  const is = now.checks[run.step]?.is
  if (is === undefined || is === before.now.checks[run.step]?.is) return null
  return words.announce(STEP_WORDS[run.step].title, sentence(checkSentence(run.step, run, now)))
}
