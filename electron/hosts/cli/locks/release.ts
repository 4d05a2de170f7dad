import { kindOf } from '../../../../shared/kinds.ts'
import { holderText } from '../../../../shared/lock-words.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { isFence } from '../../../core/stores/fence.ts'
import type { Args } from '../lib/args.ts'
import { openStore } from '../lib/connect.ts'
import { EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { lockJson } from './lock-output.ts'

const EXIT_BY_OUTCOME = { released: EXIT.done, changed: EXIT.changed, gone: EXIT.gone }

export async function releaseCommand(args: Args, io: Io): Promise<number> {
  const { fence, reason, json } = args.options
  if (typeof fence !== 'string' || fence === '') {
    throw usageError(
      'release needs --fence, which identifies the lock you saw; list --json and inspect show it',
    )
  }
  const [address, key] = args.positionals as [string, string]
  const { client, info, description } = await openStore(io, address)
  const request = { storeId: info.storeId, id: key, fence, ...(typeof reason === 'string' ? { reason } : {}) }
  const result = unwrap(await client.call('locks.release', request))
  const { action } = result
  const undoUntil = result.undoUntil === null ? null : new Date(result.undoUntil).toISOString()
  const current = result.outcome === 'changed' ? result.current : null
  if (json) {
    const shown = current === null ? null : lockJson(current, description.clock.serverTime)
    await print(io, safeJson({ outcome: result.outcome, current: shown, action, undoUntil }))
    return EXIT_BY_OUTCOME[result.outcome]
  }
  const name = escapeForTerminal(key)
  switch (result.outcome) {
    case 'released': {
      const { isEmbedded } = kindOf(info.kind)
      await print(
        io,
        `Released ${name}.${result.notified === null ? '' : ` Told ${result.notified} waiting ${result.notified === 1 ? 'client' : 'clients'}.`}`,
      )
      if (undoUntil !== null && !isEmbedded)
        await print(io, `Until ${undoUntil.slice(11, 19)} UTC it can be undone: lockkeeper undo ${action}`)
      if (isEmbedded) await print(io, 'A memory store starts afresh with every command.')
      break
    }
    case 'gone':
      await print(io, `Gone: ${name} is no longer locked. Nothing was changed.`)
      break
    case 'changed':
      for (const line of sayChanged(name, fence, current)) await print(io, line)
  }
  return EXIT_BY_OUTCOME[result.outcome]
}

function sayChanged(name: string, fence: string, current: Lock | null): string[] {
  const holder = current ? ` It is held by ${escapeForTerminal(holderText(current))} now.` : ''
  return [
    `Changed: ${name} is not the lock you saw.${holder} Nothing was changed.`,
    ...(isFence(fence) ? [] : ['This is not a fence that list --json or inspect prints: was it truncated?']),
    ...(current?.notes.some(note => note.code === 'weak-fence')
      ? [
          'Its holder may have renewed it. Inspect it again, and release with the new fence if it is still stuck.',
        ]
      : []),
  ]
}
