import { kindOf } from '../../../../shared/kinds.ts'
import { isoTime, stateAt } from '../../../../shared/lease.ts'
import { judgement, noteSentence, releaseConsequences } from '../../../../shared/lock-words.ts'
import type { FormatInfo, Lock, LockDetail } from '../../../../shared/locks.ts'
import { plural } from '../../../../shared/numbers.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import { shellQuote } from '../../../core/lib/shell-quote.ts'
import type { Args } from '../lib/args.ts'
import { openStore } from '../lib/connect.ts'
import { CliError, EXIT, unwrap } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { lockJson } from './lock-output.ts'

const RAW_SHOWN = 400

export async function inspectCommand(args: Args, io: Io): Promise<number> {
  const { client, info, description } = await openStore(io, args.positionals[0] as string)
  const detail = unwrap(
    await client.call('locks.inspect', { storeId: info.storeId, id: args.positionals[1] as string }),
  )
  if (detail === null) throw new CliError({ code: 'NOT_FOUND', message: 'The store has no such key' })
  const formats = unwrap(await client.call('formats.list', {}))
  const format = formats.find(each => each.id === detail.lock?.format) ?? null
  const now = detail.lock?.observedAt ?? description.clock.serverTime
  if (args.options['json']) {
    const lock = detail.lock === null ? null : lockJson(detail.lock, now)
    await print(
      io,
      safeJson({ ...detail, lock, consequences: format === null ? [] : releaseConsequences(format) }, 2),
    )
  } else {
    for (const line of describe(detail, format, info.address, now)) await print(io, line)
  }
  return EXIT.done
}

function describe(detail: LockDetail, format: FormatInfo | null, address: string, now: number): string[] {
  const { lock } = detail
  if (lock === null || format === null) {
    return [
      `${escapeForTerminal(detail.key)} is not a lock: ${neutralise(detail.reason ?? 'unknown reason')}`,
      '',
      ...rawLines(detail),
    ]
  }
  return [
    escapeForTerminal(lock.key),
    escapeForTerminal(judgement(lock, detail.story, now)),
    '',
    ...facts(lock, format, now).map(([name, value]) => `  ${name.padEnd(20)} ${escapeForTerminal(value)}`),
    ...(lock.notes.length > 0
      ? ['', ...lock.notes.map(note => `  ! ${neutralise(noteSentence(note))}`)]
      : []),
    '',
    ...rawLines(detail),
    '',
    'What releasing does',
    ...releaseConsequences(format).map(line => `  ${line}`),
    ...detail.release.map(line => `    ${clip(neutralise(line), 160)}`),
    '',
    'To release exactly this lock',
    `  lockkeeper release --fence ${lock.fence} --reason '…' -- ${shellQuote(address)} ${shellQuote(lock.id)}`,
    // Not clipped: half of a command is another command.
    ...(detail.command === null
      ? []
      : ['', `Equivalent command for ${kindOf(format.store).tool}`, `  ${neutralise(detail.command)}`]),
  ]
}

function facts(lock: Lock, format: FormatInfo, now: number): [string, string][] {
  const source = (from: string) => (from === 'ttl' ? 'from the TTL' : from)
  return [
    ['State', stateAt(lock, now)],
    ['Owner', lock.owner ?? 'not recorded'],
    ...(lock.holder ? [['Holder', lock.holder.label] as [string, string]] : []),
    [
      'Acquired',
      lock.acquiredAt === null
        ? 'unknown'
        : `${isoTime(lock.acquiredAt) ?? lock.acquiredAt} (${source(lock.acquiredAtSource)})`,
    ],
    ...(lock.deadlines.length === 0 ? [['Expires', 'never'] as [string, string]] : []),
    ...lock.deadlines.map(({ at, source: from }): [string, string] => [
      'Expires',
      `${isoTime(at) ?? at} (${source(from)})`,
    ]),
    ['Format', `${format.title} (${format.id})`],
    ...Object.entries(lock.fields).map(([name, value]): [string, string] => [
      escapeForTerminal(name),
      String(value),
    ]),
    ['Fence', lock.fence],
  ]
}

function rawLines(detail: LockDetail): string[] {
  return detail.raw.flatMap(({ label, encoding, text, size }) => [
    `Raw ${escapeForTerminal(label)}, ${plural(size, 'byte', 'bytes')}${encoding === 'hex' ? ' in hex' : ''}`,
    `  ${escapeForTerminal(text.slice(0, RAW_SHOWN))}${text.length > RAW_SHOWN ? '…' : ''}`,
  ])
}
