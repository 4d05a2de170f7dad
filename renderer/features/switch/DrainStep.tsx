import type { Remaining } from '../../../shared/switch.ts'
import { useNow } from '../../state/clock.ts'
import { inspect } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Card } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { DataTable, Gauge } from './parts.tsx'
import { workerName } from './StopStep.tsx'
import styles from './Switch.module.css'
import { toDrain, willNotEnd } from './step-state.ts'
import { type StepProps, useSwitchNow } from './use-switch.ts'

const MOST_NAMED = 4

export function DrainStep({ run }: StepProps) {
  const words = t.switch.drain
  const held = useSwitchNow(now => now.from.held)
  const holds = useSwitchNow(now => now.from.holds) ?? 0
  const isBehind = useSwitchNow(now => now.from.status !== 'live') ?? true
  const remaining = useSwitchNow(now => now.remaining) ?? []
  const start = toDrain(run, held)
  return (
    <>
      <Card label={words.gauge} isBehind={isBehind} className={styles.drain}>
        <p className={styles.drainNumber}>
          <strong className="number">{held === null ? t.switch.understand.nothing : t.number(held)}</strong>
          <span className="muted">
            {held !== null && words.heldWord(held)}
            {start !== null && start > (held ?? 0) && ` ${words.of(start)}`}
          </span>
        </p>
        {held !== null && start !== null && start > 0 && (
          <Gauge label={words.gauge} value={start - held} max={start} said={words.gaugeSaid(held, start)} />
        )}
        <WillNotEnd remaining={remaining} held={(held ?? 0) - holds} />
        <LastEnd remaining={remaining} />
        {holds > 0 && <p className="muted">{words.holds(holds)}</p>}
      </Card>
      {remaining.length > 0 && (
        <Card label={words.remaining} titled isBehind={isBehind}>
          <RemainingTable remaining={remaining} storeId={run.from.storeId} />
          {held !== null && held > remaining.length && (
            <p className={`${cardStyles.note} faint`}>{words.notListed(held - remaining.length)}</p>
          )}
        </Card>
      )}
    </>
  )
}

type WillNotEndProps = { readonly remaining: readonly Remaining[]; readonly held: number }

function WillNotEnd({ remaining, held }: WillNotEndProps) {
  const stuck = willNotEnd(remaining)
  if (stuck.length === 0) return null
  const holders = [...new Set(stuck.map(({ holder }) => workerName(holder, 60)))]
  const named = holders.slice(0, MOST_NAMED)
  // They are listed first, so there may be more of them among those that are not listed.
  const isMore = stuck.length === remaining.length && stuck.length < held
  return (
    <p className={styles.stuck}>
      <Icon name="endless" />
      <span>{t.switch.drain.wont(stuck.length, isMore, named, holders.length - named.length)}</span>
    </p>
  )
}

function LastEnd({ remaining }: { readonly remaining: readonly Remaining[] }) {
  const now = useNow()
  const ends = remaining.flatMap(({ why, endsAt }) => (why === 'ends' && endsAt !== null ? [endsAt] : []))
  if (ends.length === 0) return null
  const last = Math.max(...ends)
  return <p className="muted number">{t.switch.drain.last(last, Math.max(0, last - now))}</p>
}

type TableProps = { readonly remaining: readonly Remaining[]; readonly storeId: string | null }

function RemainingTable({ remaining, storeId }: TableProps) {
  const now = useNow()
  const words = t.switch.drain
  const sayEnd = (endsAt: number | null) => {
    if (endsAt === null) return words.never
    return endsAt > now ? t.duration(endsAt - now) : words.ended
  }
  return (
    <DataTable
      caption={words.remaining}
      className={styles.remaining}
      rows={remaining}
      keyOf={({ lockId }) => lockId}
      columns={[
        { title: words.columns.key, kind: 'head', cell: lock => <LockLink lock={lock} storeId={storeId} /> },
        { title: words.columns.holder, cell: ({ holder }) => workerName(holder, 80) },
        {
          title: words.columns.held,
          kind: 'number',
          cell: ({ heldSince }) =>
            heldSince === null ? words.unknownAge : t.span(Math.max(0, now - heldSince)),
        },
        { title: words.columns.ends, kind: 'number', cell: ({ endsAt }) => sayEnd(endsAt) },
        {
          title: words.columns.why,
          cell: ({ why, renewals }) => (
            <span className={styles.why} data-why={why}>
              {why === 'renewed' ? words.renewed(renewals) : words.whys[why]}
            </span>
          ),
        },
      ]}
    />
  )
}

type LinkProps = { readonly lock: Remaining; readonly storeId: string | null }

function LockLink({ lock: { key, lockId }, storeId }: LinkProps) {
  const shown = shownText(key, 120)
  if (storeId === null) return <span className="mono clip">{shown}</span>
  return (
    <Button look="link" className="mono clip" title={shown} onClick={() => inspect({ storeId, id: lockId })}>
      {shown}
    </Button>
  )
}
