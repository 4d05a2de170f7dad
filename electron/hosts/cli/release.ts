import { escapeForTerminal, safeJson } from '../../../shared/safe-text.ts'
import { parse } from './args.ts'
import { openStore } from './connect.ts'
import { EXIT, unwrap, usageError } from './exit.ts'
import { type Io, print } from './io.ts'
import { lockJson } from './lock-json.ts'
import { holderText } from './table.ts'

const EXIT_BY_OUTCOME = { released: EXIT.done, changed: EXIT.changed, gone: EXIT.gone }

export async function releaseCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = parse(argv, { fence: { type: 'string' }, reason: { type: 'string' } }, ['store', 'key'])
  const { fence, reason, json } = args.options
  if (typeof fence !== 'string' || fence === '') {
    throw usageError(
      'A release needs --fence, which list --json and inspect show: it stands for the lock you saw',
    )
  }
  const [address, key] = args.positionals as [string, string]
  const { client, info, description } = await openStore(io, address)
  const request = { storeId: info.storeId, id: key, fence, ...(typeof reason === 'string' ? { reason } : {}) }
  const result = unwrap(await client.call('locks.release', request))
  const current = result.outcome === 'changed' ? result.current : null
  if (json) {
    const shown = current === null ? null : lockJson(current, description.clock.serverTime)
    await print(io, safeJson({ outcome: result.outcome, current: shown }))
    return EXIT_BY_OUTCOME[result.outcome]
  }
  const name = escapeForTerminal(key)
  switch (result.outcome) {
    case 'released':
      await print(
        io,
        `Released ${name}.${result.notified === null ? '' : ` Told ${result.notified} waiting ${result.notified === 1 ? 'client' : 'clients'}.`}`,
      )
      break
    case 'gone':
      await print(io, `Gone: ${name} is not locked any more. Nothing was changed.`)
      break
    case 'changed':
      await print(
        io,
        `Changed: ${name} is not the lock you saw. ${current ? `It is held by ${escapeForTerminal(holderText(current))} now. ` : ''}Nothing was changed.`,
      )
  }
  return EXIT_BY_OUTCOME[result.outcome]
}
