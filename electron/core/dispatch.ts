import { randomUUID } from 'node:crypto'
import type { ZodType } from 'zod'
import {
  type Input,
  type MethodName,
  methods,
  type Output,
  type StreamName,
  streams,
} from '../../shared/contract.ts'
import {
  type DownFrame,
  LARGEST_FRAME_BYTES,
  MOST_UNACKNOWLEDGED,
  type UpFrame,
  upFrameSchema,
} from '../../shared/frames.ts'
import type { Result } from '../../shared/result.ts'
import type { AuditLog } from './features/audit/log.ts'
import type { MetricsReader } from './features/metrics/metrics-reader.ts'
import { checkChange } from './features/stores/store-rules.ts'
import { Turns } from './lib/concurrency.ts'
import { StoreError, toFailure } from './lib/errors.ts'
import type { Call, Handlers, SettingsChange, WriteChange } from './lib/handler.ts'
import { jsonBytes, shortText } from './lib/json-size.ts'
import { WakeableSleep } from './lib/timers.ts'

export type Core = {
  readonly handlers: Handlers
  readonly audit: AuditLog
  /** For monitoring, which only reads. */
  readonly metrics: MetricsReader
  /** Removes secrets from a message, as the last step before it leaves. */
  readonly redact: (message: string) => string
  close(): Promise<void>
}

/** One screen's connection to the core. Every frame is checked here, and nowhere else. */
export type Session = { receive(frame: unknown): void; close(): void }

type FrameOf<Type> = Extract<UpFrame, { type: Type }>
type StreamHandler = (input: unknown, signal: AbortSignal) => AsyncIterable<unknown>

/** Of a frame, without what is around its content. */
const LARGEST_CONTENT = LARGEST_FRAME_BYTES - 1024

/** Calls and streams of one screen at a time. */
export const MOST_RUNNING = 256

const TOO_MANY: Result<never> = {
  ok: false,
  error: { code: 'REFUSED', message: 'Too many requests are under way. Nothing was done; try again later.' },
}
const TOO_LARGE = 'The answer is too large to be shown'
/** The answer may also be that nothing was changed. */
const ANSWERED = 'It was answered, but the answer is too large to be shown; list again'

/** Sends a frame. Streams wait for the promise, so a slow transport can slow them down further. */
export type Send = (frame: DownFrame) => void | Promise<void>

/** A call or an open stream. */
class Running {
  readonly #abort = new AbortController()
  readonly signal = this.#abort.signal
  readonly #pause = new WakeableSleep()
  #acknowledged = -1

  acknowledge(seq: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, seq)
    this.#pause.wake()
  }

  close(): void {
    this.#abort.abort()
    this.#pause.wake()
  }

  /** Waits while the screen has too many unacknowledged events before this one. */
  async caughtUpWith(seq: number): Promise<void> {
    while (seq - this.#acknowledged >= MOST_UNACKNOWLEDGED && !this.signal.aborted) await this.#pause.sleep()
  }
}

export function openSession(core: Core, send: Send): Session {
  const running = new Map<number, Running>()

  /** The result of some work, with an error as data and without secrets. */
  async function resultOf<T>(work: () => Promise<T>): Promise<Result<T>> {
    try {
      return { ok: true, value: await work() }
    } catch (error) {
      const failure = toFailure(error)
      return { ok: false, error: { ...failure, message: shortText(core.redact(failure.message)) } }
    }
  }

  /** The last line of defence: a method bounds its own answers. Nothing is dropped in silence. */
  function checkSize(content: unknown, mayHaveChanged: boolean): void {
    if (jsonBytes(content) <= LARGEST_CONTENT) return
    throw new StoreError('TOO_LARGE', mayHaveChanged ? ANSWERED : TOO_LARGE, { uncertain: mayHaveChanged })
  }

  async function call({ id, method: name, input }: FrameOf<'call'>, signal: AbortSignal): Promise<void> {
    const result = await resultOf(async () => {
      if (!Object.hasOwn(methods, name)) throw new StoreError('BAD_INPUT', 'Unknown method')
      const method = name as MethodName
      const { input: schema, effect } = methods[method]
      const parsed = parse(schema, input) as Input<typeof method>
      const answer = await callMethod(core, method, parsed, { signal, action: randomUUID() })
      checkSize(answer, effect !== 'read')
      return answer
    })
    await send({ type: 'reply', id, result })
  }

  async function stream({ id, stream: name, input }: FrameOf<'open'>, own: Running): Promise<void> {
    const { signal } = own
    const result = await resultOf(async () => {
      if (!Object.hasOwn(streams, name)) throw new StoreError('BAD_INPUT', 'Unknown stream')
      const { input: schema } = streams[name as StreamName]
      const handler = core.handlers[name as StreamName] as StreamHandler
      const turns = new Turns()
      let seq = 0
      for await (const event of handler(parse(schema, input), signal)) {
        if (signal.aborted) break
        checkSize(event, false)
        await send({ type: 'event', id, seq, event })
        if (turns.isOver) await turns.next()
        await own.caughtUpWith(seq++)
      }
      return null
    })
    if (!signal.aborted) await send({ type: 'end', id, result })
  }

  return {
    receive(frame) {
      const parsed = upFrameSchema.safeParse(frame)
      // A frame without a usable id cannot be answered; our screens send none.
      if (!parsed.success) return
      const { data } = parsed
      const known = running.get(data.id)
      if (data.type === 'close') known?.close()
      else if (data.type === 'ack') known?.acknowledge(data.seq)
      else if (!known && running.size >= MOST_RUNNING)
        void send({ type: data.type === 'call' ? 'reply' : 'end', id: data.id, result: TOO_MANY })
      else if (!known) {
        const own = new Running()
        running.set(data.id, own)
        const work = data.type === 'call' ? call(data, own.signal) : stream(data, own)
        void work.finally(() => running.delete(data.id))
      }
    },
    close() {
      for (const own of running.values()) own.close()
    },
  }
}

/**
 * The one place where a method's effect is enforced: a `read` is only called; `settings` are recorded; a `write` is recorded, and
 * refused if it breaks a rule of a store that it changes.
 */
export async function callMethod<M extends MethodName>(
  core: Pick<Core, 'handlers' | 'audit'>,
  method: M,
  input: Input<M>,
  call: Call,
): Promise<Output<M>> {
  const { effect } = methods[method]
  const handler = core.handlers[method] as (input: Input<M>, call: Call) => unknown
  const answer = await handler(input, call)
  if (effect === 'read') return answer as Output<M>
  const change = answer as SettingsChange<Output<M>> & WriteChange<Output<M>>
  const { facts } = change
  if (facts === null) return change.apply(async () => {})
  const isWrite = effect === 'write'
  return core.audit.record({
    method,
    action: call.action,
    effect,
    facts,
    mustRecord: isWrite || change.mustRecord === true,
    apply: async note => {
      if (isWrite) for (const each of await change.stores()) await checkChange(each)
      return change.apply(note)
    },
    outcome: value => change.outcome?.(value) ?? { outcome: 'done' },
  })
}

function parse(schema: ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.length ? `${issue.path.map(String).join('.')}: ` : ''
  throw new StoreError(
    'BAD_INPUT',
    `The request is not valid (${where}${issue?.message ?? 'unknown reason'})`,
  )
}
