import { type ComponentType, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { SwitchRun, SwitchStep } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { followSwitch, switchStore } from '../../state/switch.ts'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'
import { ChangeStep } from './ChangeStep.tsx'
import { CheckAnnouncer } from './CheckAnnouncer.tsx'
import { CleanStep } from './CleanStep.tsx'
import { DrainStep } from './DrainStep.tsx'
import { RestartStep } from './RestartStep.tsx'
import { SideNotices } from './SideNotices.tsx'
import { StepEnd } from './StepEnd.tsx'
import { StepHead } from './StepHead.tsx'
import { Stepper } from './Stepper.tsx'
import { StopStep } from './StopStep.tsx'
import type { StepProps } from './step-props.ts'
import { Trouble } from './Trouble.tsx'
import { UnderstandStep } from './UnderstandStep.tsx'
import { VerifyStep } from './VerifyStep.tsx'
import { WalkHead } from './WalkHead.tsx'

const STEPS: Readonly<Record<SwitchStep, ComponentType<StepProps>>> = {
  understand: UnderstandStep,
  stop: StopStep,
  drain: DrainStep,
  change: ChangeStep,
  clean: CleanStep,
  restart: RestartStep,
  verify: VerifyStep,
}

/** A switch that is under way: the steps at the left, the one that is due at the right. */
export function Walk({ run }: { readonly run: SwitchRun }) {
  const { switchId } = run
  useEffect(() => followSwitch(switchId), [switchId])
  const body = useRef<HTMLDivElement>(null)
  const looking = useStore(switchStore, state => state.looking)
  const isHeard = useStore(switchStore, state => state.now !== null)
  const lost = useStore(switchStore, state => state.lost)
  const step = looking ?? run.step
  const Facts = STEPS[step]
  const before = useRef(step)
  useEffect(() => {
    // What had the focus went with the step before.
    if (before.current !== step && document.activeElement === document.body) body.current?.focus()
    before.current = step
  }, [step])
  const { title } = STEP_WORDS[step]
  return (
    <>
      <WalkHead run={run} />
      <div className="walk">
        <Stepper run={run} shown={step} />
        <div className="walk-main">
          <div
            ref={body}
            key={step}
            className="view-body walk-body"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keys
            tabIndex={0}
            role="group"
            aria-label={title}
          >
            <ErrorNotice what={t.switch.lost} error={lost} />
            <Trouble run={run} />
            <SideNotices run={run} />
            <StepHead run={run} step={step} />
            {isHeard ? <Facts run={run} /> : <p className="muted">{t.switch.connecting}</p>}
          </div>
          <StepEnd key={`${step} end`} run={run} step={step} />
        </div>
      </div>
      <CheckAnnouncer run={run} />
    </>
  )
}
