import { auditCommand } from './audit.ts'
import { consoleCommand } from './console.ts'
import { holdCommand } from './holds/hold.ts'
import { holdsCommand, unholdCommand } from './holds/holds.ts'
import { keysCommand } from './keys.ts'
import type { Args } from './lib/args.ts'
import type { Io } from './lib/io.ts'
import { formatsCommand } from './locks/formats.ts'
import { inspectCommand } from './locks/inspect.ts'
import { listCommand } from './locks/list.ts'
import { releaseCommand } from './locks/release.ts'
import { watchCommand } from './locks/watch.ts'
import { metricsCommand } from './metrics.ts'
import { cleanupCommand, releaseAllCommand, undoCommand } from './plans/plans.ts'
import { exportCommand } from './reports.ts'
import { statsCommand } from './stats/stats.ts'
import { switchCommand } from './switch/switch.ts'

/** Returns the exit code. */
type Run = (args: Args, io: Io) => Promise<number>

export type Command = {
  readonly name: string
  /** Printed as help, and what the arguments are parsed by. */
  readonly usage: readonly string[]
  readonly help: string | null
  readonly run: Run
}

/** Commands by name, each with the ways to call it, and the paragraph of help that they share. */
type Group = {
  readonly help?: string
  readonly commands: Readonly<Record<string, readonly [Run, ...string[]]>>
}

const GROUPS: readonly Group[] = [
  {
    commands: {
      list: [
        listCommand,
        '<store> [--json] [--state held|expiring|expired|released] [--owner TEXT] [--limit N]',
      ],
      inspect: [inspectCommand, '<store> <key> [--json]'],
    },
  },
  {
    help: `The fence comes from list --json or inspect. A release acts only if the lock is still exactly the one the
fence was made from. A production store needs its name in --confirm, and a reason.`,
    commands: {
      release: [releaseCommand, '<store> <key> --fence F [--confirm NAME] [--reason TEXT] [--json]'],
    },
  },
  {
    help: `release-all --plan changes nothing: it writes down exactly which locks it would release and prints the command that
applies the plan, now or later, here or elsewhere. CODE stands for exactly these locks, as they were read. The same command
resumes an interrupted plan. cleanup makes a plan of the expired locks, and applies it if CODE shows that they are the ones you
saw. A plan is signed: one of another installation is applied once its key is trusted, and a file that other users can write
with --accept-file. Within 15 minutes (LOCKKEEPER_UNDO_MINUTES) undo restores what was released, where the name is still free
and the format allows it; a production store needs its name in --confirm, and a reason.`,
    commands: {
      'release-all': [
        releaseAllCommand,
        '<store> --plan FILE [--state S] [--owner TEXT] [--key TEXT] [--filter TEXT] [--watch SECONDS] [--json]',
        `--apply FILE [<store>] --confirm "NAME COUNT-CODE"... --reason TEXT [--rate N]
[--accept-file] [--json]`,
      ],
      cleanup: [
        cleanupCommand,
        '<store> [--plan FILE] [--confirm "NAME COUNT-CODE"... --reason TEXT [--rate N]] [--json]',
      ],
      undo: [undoCommand, '<plan or action id> [<store>] [--confirm NAME]... [--reason TEXT] [--json]'],
    },
  },
  {
    help: `keys prints the key that this installation signs its plans with, and the keys of others whose plans it accepts. --trust
accepts the plans of another installation, by a name of your choice and the key that "lockkeeper keys" prints there; --forget
refuses them again. --new replaces the key of this installation, if others may know it: they have to trust the new one, and
plans and copies for an undo that were signed with the old one are no longer used here.`,
    commands: {
      keys: [
        keysCommand,
        '[--json]',
        '--trust NAME KEY [--json]',
        '--forget NAME [--json]',
        '--new [--json]',
      ],
    },
  },
  {
    help: `hold takes a lock on purpose to keep a job from running. It stays, renews the lock, and releases it at the end or on
Ctrl-C; if it is killed, the lock expires within a minute. With --once the lock is taken for the whole time and the command
ends; unhold releases it earlier. If the lock is taken, --wait waits for it; without --wait the exit code is 3. A
production store needs its name in --confirm.`,
    commands: {
      hold: [
        holdCommand,
        '<store> <key> --for 30m --reason TEXT [--once] [--wait 10m] [--format F] [--confirm NAME] [--json]',
        '--extend <hold id> --for 10m [--reason TEXT] [--json]',
      ],
      holds: [holdsCommand, '[--json]'],
      unhold: [unholdCommand, '<hold id> [--json]'],
    },
  },
  { commands: { watch: [watchCommand, '<store> [--json] [--interval SECONDS]'] } },
  {
    help: `stats counts the locks in the stores now, and the events observed since: by a console that runs or ran, or by
the command itself with --watch. --as prints the same figures in the shape that lock managers use.`,
    commands: {
      stats: [
        statsCommand,
        '<store>... [--since 2h] [--watch SECONDS] [--json]',
        '<store>... --as getStats|get_active_locks|getMetrics',
      ],
    },
  },
  {
    help: `metrics watches the stores and serves them to Prometheus on 127.0.0.1, port 5626 by default. Requests need
the bearer token of LOCKKEEPER_METRICS_TOKEN, or else of the file that it names. --keys adds, by name, the N locks of each
store that need attention most.`,
    commands: { metrics: [metricsCommand, '<store>... [--port N] [--keys N] [--interval SECONDS]'] },
  },
  {
    help: `The audit log records everything that was done, tried or refused. TEXT is a list of words that must all occur; event:, user:,
store:, plan:, key: and outcome: search one column. --verify checks that the log is unchanged, and exits with 1 if it is not,
or if that cannot be known. It prints a head to note elsewhere; --head compares the log with one that was noted. --anchor does
both with a file elsewhere: it compares with the last head in FILE, and adds the present one.`,
    commands: {
      audit: [auditCommand, '[TEXT] [--limit N] [--json]', '--verify [--head HASH] [--anchor FILE] [--json]'],
    },
  },
  {
    help: `export writes a report of a period: stores, statistics, locks that needed attention, actions, and every lock.
--since and --until take 90s, 15m, 2h, 1d or a time (UTC unless it has a zone); the default is the last hour. Tokens and
fences are left out unless --with-tokens is given; passwords always are. FILE is replaced only by a complete report; - is
the standard output. A store that cannot be read is reported as such, and the exit code is then 7.`,
    commands: {
      export: [
        exportCommand,
        `<store>... --as csv|json|md|html --out FILE [--since 2h] [--until TIME] [--filter TEXT]
[--title TEXT] [--with-tokens] [--json]`,
      ],
    },
  },
  {
    help: `switch guides you from one lock provider to another: stop the workers, let their locks end, change LOCK_PROVIDER, clean the
old store, restart, verify. It checks each step in both stores and continues when the check is met. It changes a file only
after you agree to the difference, or with --change-env, and keeps a copy. At a terminal, "pass" continues without a check,
after a reason and a typed yes; "quit" or Ctrl-C stops, and the same command resumes at the same step. --back returns to an
earlier step. A store that is down is warned about and retried: to leave it, pass what cannot be checked. Without a terminal
it stops with exit code 7 and prints the command that resumes. STEP is understand, stop, drain, change, clean, restart or
verify.`,
    commands: {
      switch: [
        switchCommand,
        `<from> <to> [--env-file FILE [--change-env]] [--quiet 30s] [--report FILE] [--json]
[--clean "NAME COUNT-CODE"] [--pass STEP]... [--reason TEXT] [--back STEP]`,
        '--list [--json]',
        '--abandon ID --reason TEXT [--json]',
      ],
    },
  },
  { commands: { formats: [formatsCommand, '[--json]'] } },
  {
    help: `console opens a window, or serves the console to your browser if there is no display or --web is given. In a checkout it
installs Electron if that is missing, once. It opens the stores in --store and LOCKKEEPER_STORES, and suggests those that
the environment or the file describes. An address with a password belongs in LOCKKEEPER_STORES, never among the arguments.`,
    commands: { console: [consoleCommand, '[--web] [--port N] [--store <store>]... [--env-file FILE]'] },
  },
]

export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ help = null, commands }) =>
  Object.entries(commands).map(([name, [run, ...usage]]) => ({ name, usage, help, run })),
)
