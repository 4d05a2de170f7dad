import { kindOf } from '../../../../shared/kinds.ts'
import { isoTime, stateAt } from '../../../../shared/lease.ts'
import { judgement, noteSentence, releaseConsequences } from '../../../../shared/lock-words.ts'
import type { FormatInfo, Lock, LockDetail, TimeSource } from '../../../../shared/locks.ts'
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
  const [address, id] = args.positionals as [string, string]
  const { client, info, description } = await openStore(io, address)
  const detail = unwrap(await client.call('locks.inspect', { storeId: info.storeId, id }))
  if (detail === null) throw new CliError({ code: 'NOT_FOUND', message: 'The store has no such key' })
  const formats = unwrap(await client.call('formats.list', {}))
  const format = formats.find(each => each.id === detail.lock?.format) ?? null
  const now = detail.lock?.observedAt ?? description.clock.serverTime
  if (args.options['json']) {
    const lock = detail.lock && lockJson(detail.lock, now)
    const consequences = format === null ? [] : releaseConsequences(format)
    await print(io, safeJson({ ...detail, lock, consequences }, 2))
  } else {
    await print(io, ...describe(detail, format, info.address, now))
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
    // Never clipped: a truncated command is another command.
    ...(detail.command === null
      ? []
      : ['', `Equivalent command for ${kindOf(format.store).tool}`, `  ${neutralise(detail.command)}`]),
  ]
}

function facts(lock: Lock, format: FormatInfo, now: number): (readonly [string, string])[] {
  const { owner, holder, acquiredAt, acquiredAtSource, deadlines } = lock
  const sayTime = (at: number, source: TimeSource) =>
    `${isoTime(at) ?? at} (${source === 'ttl' ? 'from the TTL' : source})`
  const fields = Object.entries(lock.fields)
  return [
    ['State', stateAt(lock, now)],
    ['Owner', owner ?? 'not recorded'],
    ...(holder ? [['Holder', holder.label] as const] : []),
    ['Acquired', acquiredAt === null ? 'unknown' : sayTime(acquiredAt, acquiredAtSource)],
    ...(deadlines.length === 0 ? [['Expires', 'never'] as const] : []),
    ...deadlines.map(({ at, source }) => ['Expires', sayTime(at, source)] as const),
    ['Format', `${format.title} (${format.id})`],
    ...fields.map(([name, value]) => [escapeForTerminal(name), String(value)] as const),
    ['Fence', lock.fence],
  ]
}

function rawLines(detail: LockDetail): string[] {
  const parts = detail.raw.flatMap(({ label, encoding, text, size, digest }) => [
    `Raw ${escapeForTerminal(label)}, ${plural(size, 'byte', 'bytes')}${encoding === 'hex' ? ' in hex' : ''}`,
    `  ${escapeForTerminal(text.slice(0, RAW_SHOWN))}${digest !== undefined || text.length > RAW_SHOWN ? '…' : ''}`,
  ])
  return detail.rawLeft > 0
    ? [...parts, `and ${plural(detail.rawLeft, 'more part', 'more parts')} not shown`]
    : parts
}
