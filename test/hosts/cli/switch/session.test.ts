import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { Io } from '../../../../electron/hosts/cli/lib/io.ts'
import { type SessionContext, SwitchSession } from '../../../../electron/hosts/cli/switch/session.ts'
import { SwitchTerminal } from '../../../../electron/hosts/cli/switch/terminal.ts'
import type { SideNow } from '../../../../shared/switch.ts'
import { sideNow, switchNow, switchRun } from '../../../e2e/a-switch.ts'

/** A switch at its first step, between stores that a test plays. */
function started() {
  const stdout = new PassThrough({ encoding: 'utf8' })
  const io = {
    ...{ stdin: new PassThrough(), stdout, stderr: new PassThrough() },
    signal: new AbortController().signal,
  } as unknown as Io
  let receive: (event: object) => void = () => {}
  const session = new SwitchSession({
    ...{ io, terminal: new SwitchTerminal(io, false), switchId: 'sw1', from: 'redis://cache.internal' },
    options: { byHand: [], reason: null },
    client: {
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
  const shows = async (to: Partial<SideNow>, ended: 'finished' | null = null) => {
    const how = ended && { at: 0, by: 'ana', how: ended, reason: null }
    receive({ run: switchRun('understand', { ended: how }), now: switchNow({}, { to: sideNow(to) }) })
    await new Promise(setImmediate)
    return printed
  }
  return { shows, done }
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
