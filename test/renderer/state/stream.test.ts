import { expect, test, vi } from 'vitest'
import type { DownFrame, UpFrame } from '../../../shared/frames.ts'

const opened: string[] = []
let receive: (frame: DownFrame) => void = () => {}

/** A wire that answers every call, and is lost for the streams of alerts. */
function send(frame: UpFrame): void {
  if (frame.type === 'open' && frame.stream === 'alerts.watch')
    throw new Error('The console is not connected')
  if (frame.type === 'open') opened.push(frame.stream)
  if (frame.type !== 'call') return
  const value = frame.method === 'console.describe' ? { kinds: [] } : []
  queueMicrotask(() => receive({ type: 'reply', id: frame.id, result: { ok: true, value } }))
}

vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener() {}, hidden: true })
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })
vi.stubGlobal('window', {
  lockkeeper: {
    send,
    onFrame: (listener: typeof receive) => {
      receive = listener
    },
  },
})

const { startConsole } = await import('../../../renderer/state/console.ts')
const { keepOpen } = await import('../../../renderer/state/stream.ts')

test('a stream that cannot be opened ends, and keeps no other from being opened', async () => {
  const errors: unknown[] = []
  const listener = { onEvent: () => {}, onEnd: (error: unknown) => errors.push(error) }
  keepOpen('alerts.watch', {}, listener)
  keepOpen('holds.watch', {}, listener)
  startConsole()
  await vi.waitFor(() => expect(opened).toContain('stores.watch'))
  expect(opened).toContain('holds.watch')
  expect(errors).toMatchObject([{ code: 'ABORTED' }])
})
