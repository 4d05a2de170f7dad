import { useStore } from 'zustand'
import { isSeenAfterRestart, reachedAt } from '../../../shared/switch-steps.ts'
import { useNow } from '../../state/clock.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { makePlan } from '../../state/plan.ts'
import { act } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import viewStyles from '../../ui/View.module.css'
import { t } from '../../words/words.ts'
import { type Figure, Figures } from './parts.tsx'
import { QuietMeter } from './StopStep.tsx'
import styles from './Switch.module.css'
import { isWorkedIn, openStrays } from './step-state.ts'
import { type StepProps, useSwitchNow } from './use-switch.ts'

/** The steps that are about a few numbers of the two stores. */

export function CleanStep({ run }: StepProps) {
  const words = t.switch.clean
  const from = useSwitchNow(now => now.from)
  const isClean = useSwitchNow(now => now.checks.clean?.is === 'met')
  const isReadOnly = useStore(
    consoleStore,
    state => state.entries.find(({ storeId }) => storeId === run.from.storeId)?.readOnly === true,
  )
  if (!from) return null
  const { switchId, planIds } = run
  const figures: Figure[] = [
    { name: words.held, value: from.held, tone: 'warn' },
    { name: words.expired, value: from.expired, tone: 'danger' },
  ]
  if (from.unrecognised) figures.push({ name: words.unrecognised, value: from.unrecognised })
  return (
    <Card label={words.left} isBehind={from.status !== 'live'} className={styles.stack}>
      <Figures label={words.left} figures={figures} />
      {from.unrecognised ? <p className={`${cardStyles.note} muted`}>{words.unrecognisedNote}</p> : null}
      {isClean && <p className={`${cardStyles.note} muted`}>{words.empty}</p>}
      {!isClean && isReadOnly && (
        <p className={viewStyles.notice}>{words.readOnly(shownText(run.from.storeName, 60))}</p>
      )}
      {!isClean && !isReadOnly && (
        <p className={styles.line}>
          <Button
            className={styles.release}
            disabled={from.status !== 'live'}
            onClick={() =>
              void makePlan(words.making, words.makingText, () => ask('switch.plan', { switchId }))
            }
          >
            {words.plan}
          </Button>
          <span className="muted">{words.planHint}</span>
        </p>
      )}
      {planIds.length > 0 && <p className={`${cardStyles.note} faint`}>{words.plans(planIds.length)}</p>}
    </Card>
  )
}

export function RestartStep({ run }: StepProps) {
  const words = t.switch.restart
  const first = useSwitchNow(now => now.firstArrivalInNewAt)
  const from = useSwitchNow(now => now.from)
  const to = useSwitchNow(now => now.to)
  const name = shownText(run.to.storeName, 60)
  if (!from || !to) return null
  return (
    <Card label={words.newHeld} isBehind={to.status !== 'live'} className={styles.stack}>
      {first === null ? (
        <Waiting name={name} since={reachedAt(run, 'restart') ?? run.begunAt} />
      ) : (
        <p className={styles.firstLock} data-tone="live">
          <Icon name="check" size={16} /> {words.came(name, first)}
        </p>
      )}
      <Figures
        label={words.newHeld}
        figures={[
          { name: words.newHeld, value: to.held, tone: 'live' },
          { name: words.newRate, value: to.acquiredPerMinute, say: t.switch.understand.perMinute },
          { name: words.oldHeld, value: from.held, tone: isWorkedIn(from) ? 'danger' : undefined },
        ]}
      />
    </Card>
  )
}

function Waiting({ name, since }: { readonly name: string; readonly since: number }) {
  const now = useNow()
  const words = t.switch.restart
  return (
    <p className={styles.firstLock}>
      <span className={styles.pulse} aria-hidden="true" />
      {words.waiting(name)} <span className="faint number">{words.waitingFor(Math.max(0, now - since))}</span>
    </p>
  )
}

export function VerifyStep({ run }: StepProps) {
  const words = t.switch.verify
  const from = useSwitchNow(now => now.from)
  const to = useSwitchNow(now => now.to)
  const splits = useSwitchNow(now => now.splits.length)
  const isSeen = isSeenAfterRestart(run)
  if (!from || !to) return null
  const isBehind = from.status !== 'live' || to.status !== 'live'
  return (
    <Card label={words.newHeld} isBehind={isBehind} className={styles.stack}>
      <Figures
        label={words.newHeld}
        figures={[
          { name: words.newHeld, value: to.held, tone: 'live' },
          { name: words.newRate, value: to.acquiredPerMinute, say: t.switch.understand.perMinute },
          { name: words.oldHeld, value: from.held, tone: isWorkedIn(from) ? 'danger' : undefined },
          { name: words.splits, value: splits, tone: 'danger' },
        ]}
      />
      {/* While a worker holds a lock, the old store is not quiet; and after a worker was seen, quiet proves nothing. */}
      {from.held !== null && !isWorkedIn(from) && !isSeen && (
        <QuietMeter label={words.oldQuiet} quietMs={run.quietMs} />
      )}
      {/* Strays, and splits that still last, have their notices above. */}
      {isSeen && !splits && openStrays(run).length === 0 && (
        <p className={styles.line}>
          <Button onClick={() => void act('switch.back', { switchId: run.switchId, step: 'stop' })}>
            {t.switch.trouble.backToStop}
          </Button>
          <span className="muted">{words.seen}</span>
        </p>
      )}
    </Card>
  )
}
