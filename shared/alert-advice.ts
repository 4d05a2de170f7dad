import { parseAddress } from './address.ts'
import type { Alert, AlertRule } from './alerts.ts'
import type { StoreKind } from './locks.ts'

/** What to do about an alert, in the order in which it is done. It repeats no name, so there is nothing to escape in it. */
export function alertAdvice({ rule, address }: Pick<Alert, 'rule' | 'address'>): readonly string[] {
  if (rule !== 'expired') return ADVICE[rule]
  return [...ADVICE.expired, AFTER_EXPIRY[parseAddress(address).kind]]
}

/** How a fallback between two stores lets two holders in: what happens, what happens then, and what follows from it. */
export const SPLIT_STORY = [
  'the first store did not answer, so a program fell back to the second one and took the lock there.',
  'Then the first came back; the others look only there, find the name free, and start as well.',
  'So have one provider for all instances, no fallback when it is down, and no looking for one lock in two stores.',
] as const

const ADVICE: Readonly<Record<AlertRule, readonly string[]>> = {
  'store-down': [
    'Check that the server runs, and that it can be reached from here: network, firewall, account and password.',
    'Find out what the programs do without it. One that stops is safe; one that goes on without a lock, or falls back to another store, may run the same job twice.',
    'When it is back, look for locks past their expiry and for names that are held in two stores before you release anything.',
  ],
  expired: [
    'Find out whether its holder is still at work. If it is, its lease is too short: raise the lock timeout above the longest run, or have it renewed while it runs.',
    'If the run is over, look at how it gives the lock back: the release belongs in a finally block, and an error in the release itself must be logged.',
    'Once you are sure that the holder is gone, release the lock with Lockkeeper.',
  ],
  'two-stores': [
    'Two runs may be at work at once: find out which one is right, and stop the other before you release its lock.',
    `This is how it usually comes about: ${SPLIT_STORY[0]} ${SPLIT_STORY[1]}`,
    `${SPLIT_STORY[2]} Change the provider only while everything is stopped, and clear what is left in the old one before you start again: lockkeeper switch leads through it.`,
    'If these are two systems that share a name by chance, mute the rule for one of the stores.',
  ],
  'implausible-expiry': [
    'Look at the program that writes the expiry: seconds where milliseconds are meant, or the other way round, are the usual cause.',
    'Until it is mended, do not rely on the lock: others take it for one that ended long ago, and start too, or for one that never ends, and wait for ever.',
    'When its holder is done, release the record with Lockkeeper, so that the next one is written correctly.',
  ],
  'lease-used': [
    'Look at how far the job is. When the lease ends before it does, another run may start beside it.',
    'If runs need longer than this, raise the lock timeout well above the longest of them, or renew the lock every few minutes while the job runs.',
    'If they used to be faster, find out what slows them down before you give them more time.',
  ],
  'no-expiry': [
    'Check that its holder is alive: when it dies without giving the lock back, nothing ever frees it.',
    'Once you are sure that it is gone, release the lock with Lockkeeper.',
    'Have the lock taken with a time to live from now on, and renewed where the work takes longer.',
  ],
  'held-long': [
    'See in the log of the job whether it still makes progress, and whether it takes longer than it used to.',
    'If it has ended, look at whether its finally block is reached, and whether the release failed with an error.',
    'Release the lock with Lockkeeper once you are sure that nobody works under it, or wait until it expires.',
    'If jobs are meant to take so long, raise the limit of this rule for the store.',
  ],
  'renewed-long': [
    'Check the job and not just its process: what renews the lock often goes on when the work itself hangs or has failed.',
    'Stop the process that renews before you release the lock, or it may write the lock back.',
    'Have it renewed only while the job makes progress, and up to a longest time.',
  ],
  contention: [
    'See in the history of the lock who takes it in turn: too many instances, or a schedule that starts the next run before the last one is done.',
    'Keep what is done under the lock short, and move slow calls out of it.',
    'Let those who wait be told when it is free, or try again after a growing pause, and give up after 30 to 60 seconds.',
  ],
  'clock-offset': [
    'Check that time synchronisation (NTP) runs on the store’s machine and on this one.',
    'Expiries that programs compute by their own clock end too early or too late by as much as that clock is wrong: leave leases a margin, or let the store compute them.',
    'The countdowns here go by the store’s clock and stay right.',
  ],
}

/** What becomes of a leftover differs from store to store. */
const AFTER_EXPIRY: Readonly<Record<StoreKind, string>> = {
  redis:
    'It goes by itself only if the key has a TTL: where the end is written in the value alone, whoever cleans up must delete it.',
  mysql: 'Rows do not go by themselves: see that the clean-up of expired locks runs, and runs often enough.',
  dynamodb:
    'The next run may take an expired item over without any help; DynamoDB’s own TTL deletes it hours or days later.',
  memory: 'The next one who asks for the lock clears it away; a restart of the process does, too.',
}
