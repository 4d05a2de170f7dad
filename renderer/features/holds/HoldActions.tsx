import { HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import type { MaintenanceHold } from '../../../shared/holds.ts'
import type { Result } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'
import { Button } from '../../ui/Button.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Holds.module.css'

const LONGER_MS = [15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS]

/** Extends or releases a hold. A success shows in the list, a failure here. */
export function HoldActions({ hold }: { readonly hold: MaintenanceHold }) {
  const { holdId, key, state } = hold
  const { working, error, run } = useRequest(
    (send: () => Promise<Result<unknown>>) => send(),
    () => {},
  )
  const words = t.holds
  if (state === 'ended') return null
  return (
    <div className={styles.actions}>
      {state === 'held' && (
        <Menu
          label={words.extendOf(shownText(key, 80))}
          className={styles.extend}
          items={LONGER_MS.map(forMs => ({
            label: words.extendBy(forMs),
            run: () => run(() => ask('holds.extend', { holdId, forMs })),
          }))}
        >
          {words.extend}
        </Menu>
      )}
      <Button disabled={working} onClick={() => run(() => ask('holds.release', { holdId }))}>
        {working ? words.working : state === 'waiting' ? words.stopWaiting : words.release}
        <span className="visually-hidden"> {shownText(key, 80)}</span>
      </Button>
      <ErrorNotice what={error?.uncertain ? words.uncertain : words.notDone} error={error} />
    </div>
  )
}
