import { alerts } from './en/alerts.ts'
import { audit } from './en/audit.ts'
import { frame } from './en/frame.ts'
import { holds } from './en/holds.ts'
import { locks } from './en/locks.ts'
import { plans } from './en/plans.ts'
import { report } from './en/reports.ts'
import { clockTime, dateTime, duration, numbers, span } from './en/say.ts'
import { stats } from './en/stats.ts'
import { stores } from './en/stores.ts'
import { providerSwitch } from './en/switch.ts'

export const en = {
  product: 'Lockkeeper',
  locale: 'en',
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  dismiss: 'Dismiss',
  /** A holder of whom the record says nothing. */
  noHolder: 'not recorded',
  number: (n: number) => numbers.format(n),
  clockTime,
  dateTime,
  duration,
  span,
  ...frame,
  ...locks,
  ...stores,
  ...plans,
  ...audit,
  ...stats,
  ...alerts,
  ...report,
  ...providerSwitch,
  ...holds,
}

/** Every language has exactly these words. */
export type Words = typeof en
