import { createStore } from 'zustand/vanilla'
import type { Input, MethodName } from '../../shared/contract.ts'
import type { Failure, Result } from '../../shared/result.ts'
import type { SwitchNow, SwitchRun, SwitchStep } from '../../shared/switch.ts'
import { ask, onConnected } from './console.ts'
import { sameParts } from './same-parts.ts'
import { keepOpen } from './stream.ts'

const NOTHING_SHOWN = {
  /** The switch on the screen, by its id. */
  shown: null as string | null,
  now: null as SwitchNow | null,
  /** The step the operator reads, if it is not the current one. */
  looking: null as SwitchStep | null,
  /** Why the stream ended. */
  lost: null as Failure | null,
}
const INITIAL = {
  /** Newest first. */
  runs: [] as readonly SwitchRun[],
  known: false,
  /** Why there is no list. */
  error: null as Failure | null,
  ...NOTHING_SHOWN,
}
type SwitchState = Readonly<typeof INITIAL>

export const switchStore = createStore<SwitchState>(() => INITIAL)

onConnected(() => void listSwitches())

export async function listSwitches(): Promise<void> {
  const answer = await ask('switch.list', {})
  if (!answer.ok) {
    switchStore.setState({ error: answer.error })
    return
  }
  const runs = answer.value.toSorted((a, b) => b.begunAt - a.begunAt)
  switchStore.setState(state => ({ runs: sameParts(state.runs, runs), known: true, error: null }))
}

export function underWay(runs: readonly SwitchRun[]): readonly SwitchRun[] {
  return runs.filter(({ ended }) => ended === null)
}

export function shownRun({ runs, shown }: SwitchState): SwitchRun | null {
  return runs.find(({ switchId }) => switchId === shown) ?? null
}

/** Shows the switch under way when the operator returns, if there is exactly one. */
export function resumeOnly(): void {
  const { shown, runs } = switchStore.getState()
  const [only, ...others] = underWay(runs)
  if (shown === null && only && others.length === 0) showSwitch(only.switchId)
}

export function showSwitch(switchId: string | null): void {
  if (switchStore.getState().shown === switchId) return
  switchStore.setState({ ...NOTHING_SHOWN, shown: switchId })
}

export function lookAt(step: SwitchStep | null): void {
  const run = shownRun(switchStore.getState())
  switchStore.setState({ looking: run?.step === step ? null : step })
}

/** Follows a switch until the returned function is called. */
export function followSwitch(switchId: string): () => void {
  return keepOpen(
    'switch.watch',
    { switchId },
    {
      onEvent: ({ run, now }) => {
        take(run)
        switchStore.setState(state => ({ now: sameParts(state.now, now), lost: null }))
      },
      onEnd: lost => switchStore.setState({ lost }),
    },
  )
}

function take(run: SwitchRun): void {
  switchStore.setState(state => {
    const at = state.runs.findIndex(({ switchId }) => switchId === run.switchId)
    const runs = at < 0 ? [run, ...state.runs] : state.runs.with(at, run)
    const before = state.runs[at]
    // The screen follows the switch to its next step.
    const looking = state.shown === run.switchId && before?.step !== run.step ? null : state.looking
    return { runs: sameParts(state.runs, runs), looking }
  })
}

type RunMethod = Extract<
  MethodName,
  'switch.begin' | 'switch.pass' | 'switch.back' | 'switch.abandon' | 'switch.envChange'
>

/** Asks core to change a switch. The screen changes once core has answered. */
export async function act<M extends RunMethod>(method: M, input: Input<M>): Promise<Result<SwitchRun>> {
  const answer = (await ask(method, input)) as Result<SwitchRun>
  if (answer.ok) take(answer.value)
  return answer
}
