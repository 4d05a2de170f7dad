import { kindOf } from '../../../../shared/kinds.ts'
import { holdersLookAlike, isoTime } from '../../../../shared/lease.ts'
import { holderText } from '../../../../shared/lock-words.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { plural } from '../../../../shared/numbers.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { isFence } from '../../../core/stores/fence.ts'
import type { Args } from '../lib/args.ts'
import { openStore } from '../lib/connect.ts'
import { EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { undoCommandLine } from '../plans/confirm.ts'
import { lockJson } from './lock-output.ts'

const EXIT_BY_OUTCOME = { released: EXIT.done, changed: EXIT.changed, gone: EXIT.gone }

export async function releaseCommand(args: Args, io: Io): Promise<number> {
  const { fence, reason, confirm, json } = args.options
  if (typeof fence !== 'string' || fence === '')
    throw usageError(
      'release needs --fence, which identifies the lock you saw; list --json and inspect show it',
    )
  const [address, key] = args.positionals as [string, string]
  const { client, info, description } = await openStore(io, address)
  const typed = { reason, confirm: confirm as string | undefined }
  const request = { storeId: info.storeId, id: key, fence, ...typed }
  const result = unwrap(await client.call('locks.release', request))
  const { outcome, action } = result
  const undoUntil = isoTime(result.undoUntil)
  const current = outcome === 'changed' ? result.current : null
  const name = escapeForTerminal(key)
  if (json) {
    const shown = current === null ? null : lockJson(current, description.clock.serverTime)
    await print(io, safeJson({ outcome, current: shown, action, undoUntil }))
  } else if (outcome === 'gone') {
    await print(io, `Gone: ${name} is no longer locked. Nothing was changed.`)
  } else if (outcome === 'changed') {
    await print(io, ...sayChanged(name, fence, current))
  } else {
    const told = result.notified
    const notice = told === null ? '' : ` Notified ${plural(told, 'waiting client', 'waiting clients')}.`
    await print(io, `Released ${name}.${notice}`)
    if (kindOf(info.kind).isEmbedded) await print(io, 'A memory store starts afresh with every command.')
    else if (undoUntil !== null)
      await print(
        io,
        `Until ${undoUntil.slice(11, 19)} UTC it can be undone: ${undoCommandLine(action, [typed.confirm ?? []].flat())}`,
      )
  }
  return EXIT_BY_OUTCOME[outcome]
}

function sayChanged(name: string, fence: string, current: Lock | null): string[] {
  const holder = current ? ` It is held by ${escapeForTerminal(holderText(current))} now.` : ''
  const lines = [`Changed: ${name} is not the lock you saw.${holder} Nothing was changed.`]
  if (!isFence(fence)) lines.push('This is not a fence that list --json or inspect prints: was it truncated?')
  if (current && holdersLookAlike(current))
    lines.push(
      'Its holder may have renewed it. Inspect it again, and release with the new fence if it is still stuck.',
    )
  return lines
}
