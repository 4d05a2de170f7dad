import { Readable } from 'node:stream'
import {
  type $Command,
  DynamoDBClient,
  type DynamoDBClientConfig,
  type DynamoDBClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb'
import { isThisMachine } from '../../../../shared/address.ts'
import { ServerClock } from '../../lib/clock.ts'
import { aborted, badInput, StoreError, throwIfAborted } from '../../lib/errors.ts'
import { linkedAbort, sleep, unlessAborted, within } from '../../lib/timers.ts'
import { guardStream, tooMuch } from '../wire/guard-socket.ts'
import { hasTlsFields, needTls, tlsOptions } from '../wire/tls.ts'
import type { DynamoAddress } from './address.ts'
import { isConditionFailed, mayRetry, type Request, toStoreError } from './failure.ts'
import { rememberSecrets } from './sent-secrets.ts'

const CONNECT_MS = 2000
/** Until the answer begins, and between its pieces. */
const SILENCE_MS = 4000
/** For a whole answer; a page of a scan has up to 1 MB, and lines can be slow. */
const ANSWER_MS = 20_000
/** One call with all its retries gives up before this. */
const CALL_MS = 4500
/** No new try after this. */
export const TRIES_MS = CALL_MS - CONNECT_MS
const MAX_TRIES = 6
const FIRST_DELAY_MS = 100
const LAST_DELAY_MS = 1000

type Command<I extends ServiceInputTypes, O extends ServiceOutputTypes> = $Command<
  I,
  O,
  DynamoDBClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>
type Consumed = { readonly CapacityUnits?: number | undefined }
/** The answer for several items counts each table. */
type Answer = { readonly ConsumedCapacity?: Consumed | readonly Consumed[] | undefined }

/** The client with its clock, its errors and its retries. */
export class DynamoConnection {
  /** As errors and descriptions name it. */
  readonly server: string
  readonly table: string
  readonly client: DynamoDBClient
  readonly #profile: string | null
  /** Requests sent, and the capacity units they used; the account pays for them. */
  readonly spent = { requests: 0, units: 0 }

  constructor(
    address: DynamoAddress,
    readonly clock: ServerClock = new ServerClock(),
  ) {
    if (address.endpoint !== null && !URL.canParse(address.endpoint))
      throw badInput('The endpoint of the DynamoDB address is not a URL')
    if (address.endpoint?.startsWith('http://') && hasTlsFields(address))
      throw badInput(needTls('endpoint=https://'))
    this.server = address.endpoint === null ? `DynamoDB ${address.region}` : `DynamoDB at ${address.endpoint}`
    this.table = address.table
    this.#profile = address.profile
    // Suppresses the SDK's warning about old versions of Node, which would appear on the screen.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'
    const credentials = credentialsFor(address)
    this.client = new DynamoDBClient({
      region: address.region,
      ...(address.endpoint === null ? {} : { endpoint: address.endpoint }),
      ...(address.profile === null ? {} : { profile: address.profile }),
      ...(credentials === undefined ? {} : { credentials }),
      // The SDK would send a delete again whose answer was lost.
      maxAttempts: 1,
      defaultsMode: 'standard',
      logger: SILENT,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: SILENCE_MS,
        throwOnRequestTimeout: true,
        socketTimeout: SILENCE_MS,
        httpsAgent: tlsOptions(address),
      },
    })
    this.#observeTime()
    rememberSecrets(this.client)
  }

  /**
   * Sends a command, again where that is safe. Throws the SDK's error for a condition that failed (`isConditionFailed`)
   * and a StoreError for everything else. A write that was sent is not aborted: its answer is the only proof of what
   * happened.
   */
  async request<I extends ServiceInputTypes, O extends ServiceOutputTypes & Answer>(
    command: Command<I, O>,
    request: Request,
    signal: AbortSignal,
  ): Promise<O> {
    const start = performance.now()
    throwIfAborted(signal)
    await this.#credentials(signal)
    for (let tries = 1; ; tries++) {
      throwIfAborted(signal)
      const leftMs = CALL_MS - (performance.now() - start)
      this.spent.requests++
      try {
        const answer = await withDeadline(ANSWER_MS, request.effect === 'read' ? signal : null, abortSignal =>
          this.client.send(command, { abortSignal, requestTimeout: Math.min(SILENCE_MS, leftMs) }),
        )
        for (const consumed of [answer.ConsumedCapacity ?? []].flat())
          if (Number.isFinite(consumed?.CapacityUnits)) this.spent.units += consumed.CapacityUnits as number
        return answer
      } catch (error) {
        if (request.effect === 'read') throwIfAborted(signal)
        const delayMs = delayAfter(tries)
        const enough = tries >= MAX_TRIES || performance.now() - start + delayMs > TRIES_MS
        if (isConditionFailed(error)) throw error
        if (enough || !mayRetry(error, request)) throw toStoreError(error, request, this)
        await sleep(delayMs, signal)
      }
    }
  }

  read<I extends ServiceInputTypes, O extends ServiceOutputTypes & Answer>(
    operation: string,
    command: Command<I, O>,
    signal: AbortSignal,
  ): Promise<O> {
    return this.request(command, { operation, effect: 'read' }, signal)
  }

  close(): void {
    this.client.destroy()
  }

  /** Before the request and apart from it: a failure here is about credentials, and has its own time limit. */
  async #credentials(signal: AbortSignal): Promise<void> {
    try {
      await within(SILENCE_MS, unlessAborted(this.client.config.credentials(), signal), aborted)
    } catch (error) {
      throwIfAborted(signal)
      const where =
        this.#profile === null ? 'the environment or the AWS configuration' : 'the chosen AWS profile'
      throw new StoreError('STORE_DENIED', `No AWS credentials were found in the address or in ${where}`, {
        cause: error,
      })
    }
  }

  /** Every answer of DynamoDB, even an error, carries a Date, its only clock. DynamoDB Local sends none. Its size is bounded. */
  #observeTime(): void {
    const { clock } = this
    this.client.middlewareStack.add(
      next => async args => {
        const sentAt = clock.localNow()
        const result = await next(args)
        const { headers, body } = result.response as { headers?: Record<string, string>; body?: unknown }
        if (body instanceof Readable) boundBody(body)
        const serverTime = Date.parse(headers?.['date'] ?? '')
        // HTTP dates have whole seconds.
        if (Number.isNaN(serverTime)) clock.observeNone()
        else clock.observe(serverTime, sentAt, clock.localNow(), 1000)
        return result
      },
      // Innermost: outside of it, error answers are already exceptions.
      { step: 'deserialize', priority: 'low', name: 'observeServerTime' },
    )
  }
}

/** Exponential backoff, with jitter so that clients that were throttled together do not retry together. */
export function delayAfter(tries: number): number {
  return Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2)
}

/**
 * The credentials in the address; for an emulator on this computer, if there are no others, made-up ones; otherwise undefined, for
 * those that the SDK finds in the environment, its configuration files or the instance. An emulator needs a signature but does
 * not check it, and a request for one to the instance's metadata service would only cost time.
 */
export function credentialsFor(
  { username, password, profile, endpoint }: DynamoAddress,
  environment: NodeJS.ProcessEnv = process.env,
): DynamoDBClientConfig['credentials'] {
  if (username !== null && password !== null) return { accessKeyId: username, secretAccessKey: password }
  const named = profile ?? environment['AWS_PROFILE'] ?? environment['AWS_ACCESS_KEY_ID']
  const isLocal = endpoint !== null && isThisMachine(new URL(endpoint).hostname)
  return isLocal && !named ? { accessKeyId: 'local', secretAccessKey: 'local' } : undefined
}

/** DynamoDB limits a page to 1 MB and a batch to 16 MB, and JSON takes more room. */
const MAX_BODY_BYTES = 32 * 1024 * 1024

function boundBody(body: Readable): void {
  let received = 0
  const check = (chunk: Buffer) => {
    received += chunk.length
    if (received > MAX_BODY_BYTES) throw tooMuch(MAX_BODY_BYTES)
  }
  guardStream(body, { check, failed: fault => fault as Error })
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | null,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = linkedAbort(signal)
  const timer = setTimeout(either.abort, ms)
  try {
    return await work(either.signal)
  } finally {
    clearTimeout(timer)
    either.stopFollowing()
  }
}
