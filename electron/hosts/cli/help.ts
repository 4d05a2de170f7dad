/** How each command is called; lines that go on are indented. */
const USAGE: Readonly<Record<string, readonly string[]>> = {
  list: [
    'lockkeeper list    <store> [--json] [--state held|expiring|expired|released] [--owner TEXT] [--limit N]',
  ],
  inspect: ['lockkeeper inspect <store> <key> [--json]'],
  release: ['lockkeeper release <store> <key> --fence F [--reason TEXT] [--json]'],
  'release-all': [
    'lockkeeper release-all <store> --plan FILE [--state S] [--owner TEXT] [--key TEXT] [--filter TEXT] [--watch SECONDS]',
    'lockkeeper release-all --apply FILE --confirm "NAME COUNT" --reason TEXT [--rate N] [--json]',
  ],
  cleanup: ['lockkeeper cleanup <store> [--plan FILE] [--confirm "NAME COUNT" --reason TEXT]'],
  undo: ['lockkeeper undo    <plan or action id> [--reason TEXT] [--json]'],
  hold: [
    'lockkeeper hold    <store> <key> --for 30m --reason TEXT [--once] [--wait 10m] [--format F] [--confirm NAME] [--json]',
    'lockkeeper hold    --extend <hold id> --for 10m [--reason TEXT] [--json]',
  ],
  holds: ['lockkeeper holds   [--json]'],
  unhold: ['lockkeeper unhold  <hold id> [--json]'],
  watch: ['lockkeeper watch   <store> [--json] [--interval SECONDS]'],
  stats: [
    'lockkeeper stats   <store>... [--since 2h] [--watch SECONDS] [--json]',
    'lockkeeper stats   <store>... --as getStats|get_active_locks|getMetrics',
  ],
  metrics: ['lockkeeper metrics <store>... [--port N] [--keys N] [--interval SECONDS]'],
  audit: ['lockkeeper audit   [TEXT] [--limit N] [--json]', 'lockkeeper audit   --verify [--json]'],
  export: [
    'lockkeeper export  <store>... --as csv|json|md|html --out FILE [--since 2h] [--until TIME] [--filter TEXT]',
    '                   [--title TEXT] [--with-tokens] [--json]',
  ],
  switch: [
    'lockkeeper switch  <from> <to> [--env-file FILE [--change-env]] [--quiet 30s] [--report FILE] [--json]',
    '                   [--clean "NAME COUNT" --reason TEXT] [--pass STEP --reason TEXT]... [--back STEP]',
    'lockkeeper switch  --list [--json]',
    'lockkeeper switch  --abandon ID --reason TEXT [--json]',
  ],
  formats: ['lockkeeper formats [--json]'],
  console: ['lockkeeper console [--web] [--port N] [--store <store>]... [--env-file FILE]'],
}

const STORES = `A store is an address:
  redis://[user:password@]host:port/db?match=lockRecharge:*      rediss:// for TLS
  redis+sentinel://host1,host2/group/db                          redis+cluster://host1,host2
  mysql://user:password@host:port/database?table=locks
  dynamodb://region/table?endpoint=http://127.0.0.1:8000
  memory:practice
  &format=NAME reads every record as that format; "lockkeeper formats" lists them.

The password may also come from LOCKKEEPER_PASSWORD, or is asked for.`

type Paragraph = { readonly of: readonly string[]; readonly text: string }

const PARAGRAPHS: readonly Paragraph[] = [
  {
    of: ['release'],
    text: `The fence comes from list --json or inspect; a release acts only if the lock is still exactly the one the fence was
made from.`,
  },
  {
    of: ['release-all', 'cleanup', 'undo'],
    text: `release-all never releases by itself: --plan writes down exactly which locks it would release and prints the command
that applies the plan, now or later, here or elsewhere. A plan that was interrupted goes on with the same command. cleanup
makes a plan of the expired leftovers. Within 15 minutes (LOCKKEEPER_UNDO_MINUTES) undo puts back what was released, where
the name is still free and the format allows it.`,
  },
  {
    of: ['hold', 'holds', 'unhold'],
    text: `hold takes a lock on purpose, so that the job that wants it does not run. It stays, renews the lock, and releases it at
the end or on Ctrl-C; should it be killed, the lock ends within a minute. With --once the lock is taken for the whole
time and the command ends; unhold releases it earlier. A lock that somebody has is waited for with --wait, and
otherwise the exit code is 3. A production store wants its name with --confirm.`,
  },
  {
    of: ['stats'],
    text: `stats counts what is there now, and what was seen to happen since: by a console that runs or ran, or by itself with
--watch. --as prints what lock managers call by these names.`,
  },
  {
    of: ['metrics'],
    text: `metrics watches the stores and serves them to Prometheus on 127.0.0.1, port 5626 unless --port says otherwise; with
LOCKKEEPER_METRICS_TOKEN set, it asks for that token. --keys adds the N locks of each store that need attention most, by
name.`,
  },
  {
    of: ['audit'],
    text: `Everything that was done, tried or refused is in the audit log. TEXT is words that must all occur; event:, user:, store:,
plan:, key: and outcome: look there only. --verify checks that nobody changed the log, and exits with 1 if somebody did.`,
  },
  {
    of: ['export'],
    text: `export writes a report of a time: what was asked, stores, statistics, locks that needed attention, what was done, and
every lock. --since and --until take 90s, 15m, 2h, 1d or a time (UTC unless it says otherwise); without them it is the last
hour. Tokens and fences are left out unless --with-tokens is given; passwords always are. FILE is replaced only by a
report that is whole; - is the standard output. A store that cannot be read is in the report as such, and the exit
code is then 7.`,
  },
  {
    of: ['switch'],
    text: `switch leads from one lock provider to another: stop the workers, let their locks end, change LOCK_PROVIDER, clean the old
store, start again, verify. Each step is checked by looking at both stores, and goes on by itself when its check is met.
A file is changed only after the difference was shown and agreed to, or with --change-env; a copy is kept. At a terminal,
pass goes on without a check, after a reason and a yes; quit or Ctrl-C stops, and the same command goes on at the same
step. --back goes back to an earlier one. A store that is down is warned of and tried again: to leave it, pass what cannot
be checked. Where nobody can be asked it stops with exit code 7 and prints the command that goes on. A STEP is understand,
stop, drain, change, clean, restart or verify.`,
  },
  {
    of: ['console'],
    text: `The console opens a window, or is served to your browser where there is none (always with --web). It opens the stores
that --store and LOCKKEEPER_STORES name, and suggests those that the environment or the file describes. An address with a
password is better in LOCKKEEPER_STORES: npm and the shell show their arguments to every user of the machine.`,
  },
]

const EXIT_CODES = `Exit codes: 0 done, 2 bad usage or input, 3 changed (not released) or held by somebody else, 4 gone or not found,
5 unreachable, 6 denied or refused, 7 partly done, 1 anything else.`

export const HELP = [
  'Lockkeeper shows and safely releases distributed locks.',
  indented(Object.values(USAGE).flat()),
  STORES,
  ...PARAGRAPHS.map(({ text }) => text),
  EXIT_CODES,
].join('\n\n')

/** Of one command, and where the rest is. */
export function helpFor(command: string): string {
  return [
    indented(USAGE[command] ?? []),
    ...PARAGRAPHS.filter(({ of }) => of.includes(command)).map(({ text }) => text),
    '"lockkeeper --help" tells of all commands, of how a store is named, and of exit codes.',
  ].join('\n\n')
}

function indented(lines: readonly string[]): string {
  return lines.map(line => `  ${line}`).join('\n')
}
