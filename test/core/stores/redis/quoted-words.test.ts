import { expect, it, onTestFinished } from 'vitest'
import { WITHHELD } from '../../../../electron/core/lib/server-text.ts'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { startScriptedRedis } from '../../../hostile/scripted-redis.ts'

const WORDS = 'uhagre2-bs-gur-grfgf in a code of its own'

/** What a store says whose server refuses everything, or everything but the password. */
async function saidBy(acceptsPassword: boolean, scheme: string, password?: string): Promise<string> {
  const port = await startScriptedRedis(name =>
    name === 'AUTH' && acceptsPassword ? '+OK\r\n' : `-ERR ${WORDS}\r\n`,
  )
  const store = await openStore(`${scheme}://127.0.0.1:${port}/0`, password)
  onTestFinished(() => store.close())
  return store.clock(new AbortController().signal).then(
    () => 'nothing',
    error => error.message,
  )
}

it.each(['redis', 'redis+cluster'])(
  'quotes no server that has not accepted the password (%s)',
  async scheme => {
    const said = await saidBy(false, scheme, 'hunter2-of-the-tests')
    expect(said).not.toContain('uhagre2')
    if (scheme === 'redis') expect(said).toContain(WITHHELD)
  },
)

it('quotes a server that has, and one that gets none', async () => {
  expect(await saidBy(true, 'redis', 'hunter2-of-the-tests')).toContain(WORDS)
  expect(await saidBy(false, 'redis')).toContain(WORDS)
})
