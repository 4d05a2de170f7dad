import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { Io } from '../../../../electron/hosts/cli/lib/io.ts'
import { type SessionContext, SwitchSession } from '../../../../electron/hosts/cli/switch/session.ts'
import { SwitchTerminal } from '../../../../electron/hosts/cli/switch/terminal.ts'
import type { Check, SideNow } from '../../../../shared/switch.ts'
import { sideNow, switchNow, switchRun } from '../../../e2e/a-switch.ts'

/** A switch at its first step, between stores that a test plays, with an operator at a terminal if `hasOperator`. */
function started({ hasOperator = false, call = (): object => ({}) } = {}) {
  const stdout = new PassThrough({ encoding: 'utf8' })
  const terminal = () => Object.assign(new PassThrough(), { isTTY: hasOperator })
  const stdin = terminal()
  const io = {
    ...{ stdin, stdout, stderr: terminal() },
    signal: new AbortController().signal,
  } as unknown as Io
  let receive: (event: object) => void = () => {}
  const session = new SwitchSession({
    ...{ io, terminal: new SwitchTerminal(io, false), switchId: 'sw1', from: 'redis://cache.internal' },
    options: { byHand: [], reason: null },
    client: {
      call: async () => call(),
      open: (_stream: string, _input: object, onEvent: typeof receive) => {
        receive = onEvent
        return () => {}
      },
    },
  } as unknown as SessionContext)
  const done = session.runToEnd()
  let printed = ''
  stdout.on('data', text => {
    printed += text
  })
  const shows = async (
    to: Partial<SideNow>,
    ended: 'finished' | null = null,
    is: Check['is'] = 'not-yet',
  ) => {
    const how = ended && { at: 0, by: 'ana', how: ended, reason: null }
    const now = switchNow({ understand: is }, { to: sideNow(to) })
    receive({ run: switchRun('understand', { ended: how }), now })
    await new Promise(setImmediate)
    return printed
  }
  const types = async (line: string) => {
    stdin.write(`${line}\n`)
    await new Promise(setImmediate)
  }
  return { shows, types, done }
}

const UNMEASURED = { server: null, latencyMs: null, latencySamples: 0, isMeasured: false } as const

it('the comparison of the stores waits for the first measurement of each', async () => {
  const { shows, done } = started()
  expect(await shows({ ...UNMEASURED, status: 'stale' })).toBe('')
  expect(await shows(UNMEASURED)).toBe('')
  expect(await shows({ ...UNMEASURED, server: 'MariaDB 10.11', latencyMs: 3, latencySamples: 1 })).toBe('')
  const text = await shows({ server: 'MariaDB 10.11', latencyMs: 2.5 })
  expect(text).toMatch(/Server +Redis 7\.2\.4 +MariaDB 10\.11\n/)
  expect(text).toMatch(/Round trip +0\.4 ms +2\.5 ms\n/)
  await shows({}, 'finished')
  await done
})

it.each<[string, Partial<SideNow>]>([
  ['could not be measured', { isMeasured: true }],
  ['cannot be read', { status: 'down', error: { code: 'STORE_UNREACHABLE', message: 'It does not answer' } }],
  ['is read in part only', { status: 'stale', error: { code: 'STORE_DENIED', message: 'NOPERM' } }],
  ['is closed', { status: 'closed' }],
])('the comparison does not wait for a store that %s', async (_, to) => {
  const { shows, done } = started()
  expect(await shows({ ...UNMEASURED, ...to })).toMatch(/Round trip +0\.4 ms +not known\n/)
  await shows({}, 'finished')
  await done
})

it('lines that are typed after a refusal do not repeat the request', async () => {
  let requests = 0
  const refuse = () => {
    requests++
    return { ok: false, error: { code: 'REFUSED', message: 'The check of this step is not met' } }
  }
  const { shows, types, done } = started({ hasOperator: true, call: refuse })
  await shows({}, null, 'met')
  for (let n = 0; n < 20; n++) await types('')
  expect(requests).toBe(1)
  await shows({}, null, 'met')
  expect(requests).toBe(2)
  const stopped = expect(done).rejects.toThrow('Stopped on request')
  await types('quit')
  await stopped
})
