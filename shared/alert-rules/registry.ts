import { clockOffset } from './clock-offset.ts'
import { contention } from './contention.ts'
import { expired } from './expired.ts'
import { heldLong } from './held-long.ts'
import { implausibleExpiry } from './implausible-expiry.ts'
import { leaseUsed } from './lease-used.ts'
import { noExpiry } from './no-expiry.ts'
import { renewedLong } from './renewed-long.ts'
import { storeDown } from './store-down.ts'
import { twoStores } from './two-stores.ts'

/** Every alert rule, in the order of lists and forms. */
export const ALERT_RULE_DEFINITIONS = [
  storeDown,
  expired,
  twoStores,
  implausibleExpiry,
  leaseUsed,
  noExpiry,
  heldLong,
  renewedLong,
  contention,
  clockOffset,
] as const
