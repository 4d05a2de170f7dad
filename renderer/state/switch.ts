import { createStore } from 'zustand/vanilla'
import type { Input, MethodName } from '../../shared/contract.ts'
import type { Failure, Result } from '../../shared/result.ts'
import type { SwitchNow, SwitchRun, SwitchStep } from '../../shared/switch.ts'
import { ask, client, onConnected } from './console.ts'
import { sameParts } from './same-parts.ts'

export type SwitchState = {
  /** Newest first. */
  readonly runs: readonly SwitchRun[]
  readonly known: boolean
  /** Why there is no list. */
  readonly error: Failure | null
  /** The switch on the screen, by its id. */
  readonly shown: string | null
  readonly now: SwitchNow | null
  /** The step the operator reads, if it is not the current one. */
  readonly looking: SwitchStep | null
  /** Why its stream ended. */
  readonly lost: Failure | null
}

const NOTHING_SHOWN = { shown: null, now: null, looking: null, lost: null } as const

export const switchStore = createStore<SwitchState>(() => ({
  runs: [],
  known: false,
  error: null,
  ...NOTHING_SHOWN,
}))

let close: (() => void) | null = null

/** After a reload or a lost connection, reads the list and follows the shown switch again. */
onConnected(() => {
  void listSwitches()
  const { shown } = switchStore.getState()
  if (shown !== null && close !== null) watch(shown)
})

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
  watch(switchId)
  return () => {
    close?.()
    close = null
  }
}

function watch(switchId: string): void {
  close?.()
  // Not null without a connection, so that the switch is followed once the console is connected.
  close = () => {}
  try {
    close = client.open(
      'switch.watch',
      { switchId },
      ({ run, now }) => {
        take(run)
        switchStore.setState(state => ({ now: sameParts(state.now, now), lost: null }))
      },
      result => switchStore.setState({ lost: result.ok ? null : result.error }),
    )
  } catch {}
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
