import type { Locator, Page } from 'playwright'
import { expect } from 'vitest'
import type { Input, Output } from '../../shared/contract.ts'
import type { Result } from '../../shared/result.ts'
import type { Host } from './console.ts'

/** The screen of a switch of providers, as an operator works with it. */
export const walk = {
  main: (page: Page): Locator => page.getByRole('main'),
  steps: (page: Page): Locator => page.getByRole('navigation', { name: 'Steps' }).getByRole('listitem'),
  due: (page: Page): Locator => page.locator('[aria-current=step]'),
  button: (page: Page, name: string | RegExp): Locator => walk.main(page).getByRole('button', { name }),
  table: (page: Page, name: string): Locator => walk.main(page).getByRole('table', { name }),
  /** The sentence that says how the check of the step stands. */
  check: (page: Page): Locator => walk.main(page).locator('footer p[data-check]'),
  trouble: (page: Page, name: RegExp): Locator => walk.main(page).getByRole('region', { name }),
}

export async function openSwitches(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Provider switch/ }).click()
}

export async function begin(page: Page, from: string | RegExp, to: string | RegExp): Promise<void> {
  await openSwitches(page)
  await page.getByRole('group', { name: 'In use today' }).getByRole('radio', { name: from }).check()
  await page.getByRole('group', { name: 'From then on' }).getByRole('radio', { name: to }).check()
  await walk.button(page, 'Begin').click()
  await isAt(page, 'Understand the change')
}

export async function isAt(page: Page, title: string): Promise<void> {
  await expect.poll(() => walk.due(page).innerText()).toContain(title)
}

/** Waits until the check has turned by itself, and goes on to the next step. */
export async function goOnTo(page: Page, title: string): Promise<void> {
  await walk.button(page, `Go on: ${title}`).click()
  await isAt(page, title)
}

type Begin = Input<'switch.begin'>

/** A shorter quiet time than the screen offers, as the command line sets it with --quiet: through the page's own wire. */
export async function setQuiet(host: Host, page: Page, input: Begin): Promise<void> {
  const frame = { type: 'call', id: 1_000_000, method: 'switch.begin', input }
  const answer = await page.evaluate(host === 'web' ? askByWeb : askByBridge, frame)
  expect(answer).toMatchObject({ ok: true, value: { quietMs: input.quietMs } })
}

type Frame = { readonly type: string; readonly id: number }
type Answer = Result<Output<'switch.begin'>>

async function askByWeb(frame: Frame): Promise<Answer> {
  const authorization = `Bearer ${localStorage.getItem('lockkeeper.session')}`
  const events = await fetch('/events', { headers: { authorization } })
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
  let read = ''
  const nextLine = async () => {
    while (!read.includes('\n')) read += (await reader?.read())?.value ?? ''
    const line = read.slice(0, read.indexOf('\n'))
    read = read.slice(line.length + 1)
    return JSON.parse(line)
  }
  const { screen } = await nextLine()
  await fetch(`/frames?screen=${encodeURIComponent(screen)}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(frame),
  })
  const { result } = await nextLine()
  await reader?.cancel()
  return result
}

function askByBridge(frame: Frame): Promise<Answer> {
  type Bridge = { send(frame: Frame): void; onFrame(take: (frame: Frame & { result: Answer }) => void): void }
  const { lockkeeper } = window as unknown as { lockkeeper: Bridge }
  return new Promise(resolve => {
    lockkeeper.onFrame(reply => {
      if (reply.type === 'reply' && reply.id === frame.id) resolve(reply.result)
    })
    lockkeeper.send(frame)
  })
}
