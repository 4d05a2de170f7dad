import { COMMANDS, type Command } from './commands.ts'

const STORES = `A store is an address:
  redis://[user@]host:port/db?match=lockRecharge:*               rediss:// for TLS
  redis+sentinel://host1,host2/group/db                          redis+cluster://host1,host2   &nodes=host3,10.1.0.0/16
  mysql://user@host:port/database?table=locks                    &tls=true, &allowPublicKeyRetrieval=true
  dynamodb://region/table?endpoint=http://127.0.0.1:8000
  memory:practice
  &format=NAME reads every record as that format; "lockkeeper formats" lists them.
  With TLS: &ca=FILE, &cert=FILE, &key=FILE (all PEM), &servername=NAME (in the certificate, if it is not the host).

No argument may contain a password: every user of the machine could read it. Set LOCKKEEPER_PASSWORD for one store, or for each
its own variable, as LOCKKEEPER_PASSWORD_MYSQL_USER_ops_AT_DB1 for mysql://ops@db1; or add --password-stdin, which reads one
line for each store, in the order of the stores and empty for one without a password; or enter it when asked.`

const EXIT_CODES = `Exit codes: 0 done, 2 bad usage or input, 3 changed (not released) or held by another, 4 gone or not found,
5 unreachable, 6 denied or refused, 7 partly done, 8 not finished within --timeout, 1 anything else.`

const TIMEOUT = `Every command takes --timeout 30s and is then stopped as by Ctrl-C: a change that was sent still gets its answer, a plan
finishes the locks in flight, and a hold releases its lock.`

export function helpForAll(): string {
  return [
    'Lockkeeper shows and safely releases distributed locks.',
    COMMANDS.map(usageOf).join('\n'),
    STORES,
    ...new Set(COMMANDS.flatMap(({ help }) => help ?? [])),
    TIMEOUT,
    EXIT_CODES,
  ].join('\n\n')
}

export function helpFor(command: Command): string {
  return [
    usageOf(command),
    ...(command.help === null ? [] : [command.help]),
    '"lockkeeper --help" lists all commands, store addresses, --timeout and exit codes.',
  ].join('\n\n')
}

/** Second lines are indented below the first argument. */
function usageOf({ name, usage }: Command): string {
  const start = `  lockkeeper ${name.padEnd(7)} `
  return usage.map(form => start + form.replaceAll('\n', `\n${' '.repeat(start.length)}`)).join('\n')
}
