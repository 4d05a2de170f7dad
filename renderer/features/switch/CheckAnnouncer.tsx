import { useEffect, useState } from 'react'
import type { SwitchNow, SwitchRun } from '../../../shared/switch.ts'
import { checkSentence, STEP_WORDS } from '../../../shared/switch-words.ts'
import { shownRun, switchStore } from '../../state/switch.ts'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { openStrays } from './step-state.ts'

/** For screen readers: a check that turns and trouble that begins, once. Numbers and meters are never read out by themselves. */
export function CheckAnnouncer({ run: { switchId } }: { readonly run: SwitchRun }) {
  const [text, setText] = useState('')
  useEffect(
    () =>
      switchStore.subscribe((state, before) => {
        const [run, earlier] = [shownRun(state), shownRun(before)]
        if (!run || !state.now || run.switchId !== switchId) return
        const said = news(run, state.now, earlier, before.now)
        if (said !== null) setText(said)
      }),
    [switchId],
  )
  return (
    <span className="visually-hidden" role="status" aria-live="polite">
      {text}
    </span>
  )
}

function news(run: SwitchRun, now: SwitchNow, ran: SwitchRun | null, was: SwitchNow | null): string | null {
  const words = t.switch
  if (!was) return null
  const known = new Set(was.splits.map(({ name }) => name))
  const split = now.splits.find(({ name }) => !known.has(name))
  if (split) return words.announceSplit(shownText(split.name, 80))
  const [stray] = openStrays(run)
  if (stray && ran && stray.at > (openStrays(ran)[0]?.at ?? 0))
    return words.announceStray(shownText(stray.key, 80))
  const is = now.checks[run.step]?.is
  if (is === undefined || is === was.checks[run.step]?.is) return null
  return words.announce(STEP_WORDS[run.step].title, sentence(checkSentence(run.step, run, now)))
}
