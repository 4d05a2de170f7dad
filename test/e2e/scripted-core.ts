import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright'
import { expect, onTestFinished, vi } from 'vitest'
import {
  type Input,
  type MethodName,
  methods,
  type Output,
  type StreamEvent,
  type StreamName,
} from '../../shared/contract.ts'
import type { DownFrame, UpFrame } from '../../shared/frames.ts'
import { allKinds } from '../../shared/kinds.ts'
import type { Failure, Result } from '../../shared/result.ts'
import type { StoreEntry } from '../../shared/stores.ts'
import { ROOT } from '../source-files.ts'
import { openBrowser } from './console.ts'

const PLACE = 'http://lockkeeper.test/'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

type Answer<M extends MethodName> = (input: Input<M>) => Output<M> | Failure

/**
 * A core whose answers a test makes up, for states that real stores reach only after minutes. The compiler checks what it says,
 * and the schemas check what the screen asks.
 */
export class ScriptedCore {
  readonly calls: { readonly method: string; readonly input: unknown }[] = []
  readonly #answers = new Map<string, (input: never) => unknown>()
  readonly #open = new Map<number, { readonly stream: string; seq: number }>()
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
    this.answer('console.describe', () => ({
      host: 'web',
      version: '0.1.0',
      dataFolder: '/data',
      secrets: { durable: true, reason: null },
      kinds: [...allKinds()],
    }))
    this.answer('formats.list', () => [])
    this.answer('plans.list', () => [])
    this.answer('plans.refused', () => [])
    this.answer('switch.list', () => [])
  }

  answer<M extends MethodName>(method: M, answer: Answer<M>): void {
    this.#answers.set(method, answer)
  }

  called(method: MethodName): unknown[] {
    return this.calls.filter(each => each.method === method).map(each => each.input)
  }

  isOpen(stream: StreamName): boolean {
    return [...this.#open.values()].some(each => each.stream === stream)
  }

  async tellWhenOpen<S extends StreamName>(stream: S, event: StreamEvent<S>): Promise<void> {
    await vi.waitFor(() => expect(this.isOpen(stream), stream).toBe(true), { timeout: 120_000 })
    await this.tell(stream, event)
  }

  /** To everybody who has the stream open. */
  async tell<S extends StreamName>(stream: S, event: StreamEvent<S>): Promise<void> {
    for (const [id, each] of this.#open)
      if (each.stream === stream) await this.#down({ type: 'event', id, seq: each.seq++, event })
  }

  async end(stream: StreamName, result: Result<null>): Promise<void> {
    for (const [id, each] of [...this.#open])
      if (each.stream === stream) {
        this.#open.delete(id)
        await this.#down({ type: 'end', id, result })
      }
  }

  async take(frame: UpFrame): Promise<void> {
    if (frame.type === 'open') this.#open.set(frame.id, { stream: frame.stream, seq: 0 })
    else if (frame.type === 'close') this.#open.delete(frame.id)
    else if (frame.type === 'call') await this.#reply(frame)
  }

  async #reply({ id, method, input }: Extract<UpFrame, { type: 'call' }>): Promise<void> {
    const name = method as MethodName
    methods[name].input.parse(input)
    this.calls.push({ method, input })
    const said = this.#answers.get(method)?.(input as never) ?? failure(`nobody answers ${method}`)
    const result: Result<unknown> = isFailure(said) ? { ok: false, error: said } : { ok: true, value: said }
    await this.#down({ type: 'reply', id, result })
  }

  #down(frame: DownFrame): Promise<unknown> {
    return this.#page.evaluate(
      each => (window as unknown as { lockkeeperTake(frame: unknown): void }).lockkeeperTake(each),
      frame,
    )
  }
}

export function failure(message: string): Failure {
  return { code: 'BAD_INPUT', message }
}

function isFailure(said: unknown): said is Failure {
  return typeof said === 'object' && said !== null && 'code' in said && 'message' in said
}

/** The built page with this core behind it. */
export async function openScripted(
  stores: readonly StoreEntry[],
  prepare: (core: ScriptedCore) => void,
  context: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly core: ScriptedCore; readonly problems: string[] }> {
  const opened = await (await openBrowser()).newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    ...context,
  })
  onTestFinished(() => opened.close())
  const page = await opened.newPage()
  page.setDefaultTimeout(60_000)
  const problems: string[] = []
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', error => problems.push(error.message))
  const core = new ScriptedCore(page)
  prepare(core)
  await page.exposeFunction('lockkeeperSend', (frame: UpFrame) => core.take(frame))
  await page.addInitScript(() => {
    const page = window as unknown as Record<string, unknown>
    page['lockkeeper'] = {
      send: (frame: unknown) => (page['lockkeeperSend'] as (frame: unknown) => void)(frame),
      onFrame: (listener: unknown) => {
        page['lockkeeperTake'] = listener
      },
    }
  })
  await page.route(`${PLACE}**`, route => {
    const { pathname } = new URL(route.request().url())
    const path = join(ROOT, 'dist/renderer', pathname === '/' ? 'index.html' : pathname)
    return route.fulfill({ body: readFileSync(path), contentType: TYPES[extname(path)] ?? 'text/plain' })
  })
  await page.goto(PLACE)
  await core.tellWhenOpen('stores.watch', { stores: [...stores], suggestions: [], notice: null })
  return { page, core, problems }
}
