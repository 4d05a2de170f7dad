import { BadAnswer } from '../bad-answer.ts'
import { MAX_REPLY_BYTES, tooMuch } from '../wire/guard-socket.ts'

export type ReplyLimits = {
  readonly bytes: number
  /** Of arrays, all together: each takes far more memory than the bytes that announce it. */
  readonly elements: number
  /** Of arrays in arrays. The replies of scripts and of CLUSTER SLOTS have four levels. */
  readonly depth: number
  /** Of a status or an error. */
  readonly lineBytes: number
  /** From the first byte of a reply to its last. */
  readonly ms: number
}

export const REPLY_LIMITS: ReplyLimits = {
  bytes: MAX_REPLY_BYTES,
  elements: 1_000_000,
  depth: 8,
  lineBytes: 64 * 1024,
  ms: 20_000,
}

const STATUS = 0x2b
const ERROR = 0x2d
const NUMBER = 0x3a
const BULK = 0x24
const ARRAY = 0x2a
const PUSH = 0x3e
const CR = 0x0d
const LF = 0x0a
const MINUS = 0x2d
const PLUS = 0x2b
const ZERO = 0x30
/** Of a number, and of a length. */
const MOST_DIGITS = 19

/** As much of a status, an error or a channel name as is looked at. */
const KEPT = 300

/** A redirection, which the client library takes apart. */
const REDIRECTS = /^(MOVED|ASK)\b/
const REDIRECTION = /^(MOVED|ASK) \d{1,5} \S{0,255}:\d{1,5}$/

/**
 * Follows the replies of a server through the chunks in which they arrive, without keeping them, and throws a BadAnswer at
 * the first byte that a RESP2 server would not send. Agrees byte for byte with the parser of the client library, which trusts
 * its server. Payloads are skipped and not looked at.
 */
export class ReplyScanner {
  /** Payload still to come, with its line end. */
  #skip = 0
  /** 0 between two elements. */
  #type = 0
  #digits = 0
  #number = 0
  #isNegative = false
  #sawReturn = false
  #text = ''
  #textBytes = 0
  /** Elements still to come, per open array. */
  readonly #open: number[] = []
  #bytes = 0
  #elements = 0
  #startedAt = 0
  /** The reply in progress: its type, and the types of the first elements of an array; `_` is null. */
  #replyType = 0
  #shape = ''
  #head = ''
  #keeps = false
  #answered = 0
  #isSubscribed = false

  constructor(
    readonly purpose: 'commands' | 'messages' = 'commands',
    readonly limits = REPLY_LIMITS,
  ) {}

  /** `pending`: the commands that wait for a reply. */
  scan(chunk: Buffer, pending: number): void {
    this.#answered = 0
    if (this.#bytes > 0 && performance.now() - this.#startedAt > this.limits.ms)
      throw new BadAnswer(`took more than ${Math.round(this.limits.ms / 1000)} s for one reply`)
    let at = 0
    while (at < chunk.length) {
      const start = at
      if (this.#type === 0 && this.#skip === 0) this.#begin(chunk[at++] as number)
      else if (this.#skip > 0) at = this.#payload(chunk, at)
      else if (this.#type === STATUS || this.#type === ERROR) at = this.#line(chunk, at)
      else at = this.#count(chunk, at)
      this.#bytes += at - start
      if (this.#bytes > this.limits.bytes) throw tooMuch(this.limits.bytes)
      if (this.#type === 0 && this.#skip === 0 && this.#open.length === 0) this.#finish(pending)
    }
  }

  #begin(type: number): void {
    if (type === PUSH) throw new BadAnswer('sent a push message that nobody subscribed to')
    if (type !== STATUS && type !== ERROR && type !== NUMBER && type !== BULK && type !== ARRAY)
      throw malformed()
    if (this.#open.length === 0) {
      this.#startedAt = performance.now()
      this.#replyType = type
      this.#shape = ''
      this.#head = ''
      this.#elements = 0
    }
    this.#type = type
    this.#digits = 0
    this.#number = 0
    this.#isNegative = false
    this.#sawReturn = false
    this.#text = ''
    this.#textBytes = 0
  }

  /** The rest of a status or an error, up to its line end. */
  #line(chunk: Buffer, from: number): number {
    if (this.#sawReturn) {
      if (chunk[from] !== LF) throw malformed()
      const kind = this.#type === ERROR ? '-' : '+'
      this.#type = 0
      this.#element(kind)
      return from + 1
    }
    const found = chunk.indexOf(CR, from)
    const end = found < 0 ? chunk.length : found
    this.#textBytes += end - from
    if (this.#textBytes > this.limits.lineBytes) throw new BadAnswer('sent a line without an end')
    if (this.#open.length === 0 && this.#text.length < KEPT)
      this.#text += chunk.toString('latin1', from, Math.min(end, from + KEPT))
    if (found < 0) return end
    this.#sawReturn = true
    return end + 1
  }

  /** The rest of a number or of a length, up to its line end. */
  #count(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number
      const digit = byte - ZERO
      if (this.#sawReturn) {
        if (byte !== LF) throw malformed()
        this.#counted()
        return at + 1
      }
      if (digit >= 0 && digit <= 9) {
        if (++this.#digits > MOST_DIGITS) throw malformed()
        this.#number = this.#number * 10 + digit
      } else if (byte === CR) {
        if (this.#digits === 0) throw malformed()
        this.#sawReturn = true
      } else if (this.#digits > 0 || this.#isNegative) throw malformed()
      else if (byte === MINUS) this.#isNegative = true
      else if (byte !== PLUS || this.#type !== NUMBER) throw malformed()
    }
    return chunk.length
  }

  #counted(): void {
    const type = this.#type
    this.#type = 0
    if (type === NUMBER) this.#element(':')
    else if (!this.#isNegative && type === BULK) this.#startPayload(this.#number)
    else if (!this.#isNegative) this.#startArray(this.#number)
    // The client library skips the digits of the only negative length that it knows.
    else if (this.#number !== 1 || this.#digits !== 1) throw malformed()
    else this.#element('_')
  }

  #startPayload(length: number): void {
    if (this.#bytes + length > this.limits.bytes) throw tooMuch(this.limits.bytes)
    this.#keeps = this.purpose === 'messages' && this.#open.length === 1 && this.#shape === ''
    this.#skip = length + 2
  }

  #startArray(length: number): void {
    this.#elements += length
    if (this.#elements > this.limits.elements)
      throw new BadAnswer(`sent more than ${this.limits.elements} elements in one reply`)
    if (this.#open.length >= this.limits.depth)
      throw new BadAnswer(`sent replies nested deeper than ${this.limits.depth} levels`)
    if (length > 0) this.#open.push(length)
    else this.#element('*')
  }

  #payload(chunk: Buffer, from: number): number {
    const end = Math.min(chunk.length, from + this.#skip)
    if (this.#keeps) this.#head = (this.#head + chunk.toString('latin1', from, end)).slice(0, KEPT)
    this.#skip -= end - from
    if (this.#skip === 0) this.#element('$')
    return end
  }

  /** One more element is complete, and with it perhaps the arrays that it is the last of. */
  #element(kind: string): void {
    if (this.#open.length <= 1 && this.#shape.length < 3) this.#shape += kind
    for (let last = this.#open.length - 1; last >= 0; last--) {
      const left = (this.#open[last] as number) - 1
      if (left > 0) {
        this.#open[last] = left
        return
      }
      this.#open.pop()
      if (last === 1 && this.#shape.length < 3) this.#shape += '*'
    }
  }

  #finish(pending: number): void {
    this.#bytes = 0
    if (this.#replyType === ERROR) {
      // A server that turns a connection down says so before it is asked.
      if (this.#answered < pending) this.#answered++
      if (REDIRECTS.test(this.#text) && !REDIRECTION.test(this.#text))
        throw new BadAnswer('sent a redirection that leads nowhere')
      return
    }
    if (this.purpose === 'messages' && !this.#isAcknowledgement()) return
    if (++this.#answered > pending) throw new BadAnswer('sent an answer that nobody asked for')
  }

  /** Of a connection for messages, on which the server sends those, acknowledgements of subscriptions, `OK`, and before them its own number. */
  #isAcknowledgement(): boolean {
    if (this.#replyType === STATUS && this.#text.length > 1) return true
    if (this.#replyType === NUMBER && !this.#isSubscribed) return true
    const head = this.#head.slice(0, -2)
    // Of tracked keys, a list of names; null for all of them.
    if (head === 'message' && /^\$\$[$*_]$/.test(this.#shape)) return false
    if ((head === 'subscribe' || head === 'unsubscribe') && this.#shape === '$$:') {
      this.#isSubscribed = true
      return true
    }
    throw new BadAnswer('sent a message that Lockkeeper cannot read')
  }
}

/** Something else may be listening at this address. */
function malformed(): BadAnswer {
  return new BadAnswer('does not speak the Redis protocol', { code: 'STORE_UNREACHABLE' })
}
