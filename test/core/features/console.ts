import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type CoreOptions, createCore } from '../../../electron/core/compose.ts'
import { openSession } from '../../../electron/core/dispatch.ts'
import type { StartOptions } from '../../../electron/core/features/stores/stores.ts'
import type { SecretVault } from '../../../electron/core/features/stores/vault.ts'
import { createClient } from '../../../shared/client.ts'
import type { Input, MethodName, Output } from '../../../shared/contract.ts'
import type { DownFrame } from '../../../shared/frames.ts'
import type { StoreProfile, StoresEvent } from '../../../shared/stores.ts'
import { dataFolder } from '../../hosts/cli/run-cli.ts'

/** A core with one screen, as a host that keeps stores would start it. Everything that reaches the screen is in `sent`. */
export function openConsole(
  folder = dataFolder(),
  start: Partial<StartOptions> = {},
  more: Partial<CoreOptions> = {},
) {
  const core = createCore({
    dataFolder: folder,
    start: { stores: [], suggestions: [], practice: false, ...start },
    ...more,
  })
  const sent: DownFrame[] = []
  const client = createClient(frame => wire.receive(frame))
  const wire = openSession(core, frame => {
    sent.push(frame)
    client.receive(frame)
  })
  const close = async () => {
    wire.close()
    await core.close()
  }
  onTestFinished(close)
  /** The answer. A failure is thrown with its code in front. */
  async function ask<M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> {
    const answer = await client.call(method, input)
    if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`)
    return answer.value
  }
  const seen: StoresEvent[] = []
  client.open(
    'stores.watch',
    {},
    event => seen.push(event),
    () => {},
  )
  return { core, client, wire, sent, folder, close, ask, list: () => seen.at(-1) }
}

export function profile(more: Partial<StoreProfile> = {}): StoreProfile {
  return {
    name: 'Orders',
    address: 'memory:orders',
    colour: 'teal',
    production: false,
    readOnly: false,
    ...more,
  }
}

/** A keyring that outlasts the process, as far as a test can. Its seal is no secret. */
export function durableVault(): SecretVault {
  return {
    status: async () => ({ durable: true, reason: null }),
    seal: async secret => `sealed:${Buffer.from(secret).toString('base64')}`,
    unseal: async sealed => Buffer.from(sealed.slice(7), 'base64').toString(),
  }
}

/** Everything in a folder, as one text. */
export function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
}
