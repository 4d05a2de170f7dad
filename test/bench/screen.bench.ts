import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Console, openBrowser, openConsole } from '../e2e/console.ts'
import { manyLocks } from '../e2e/many.ts'
import { screen } from '../e2e/screen.ts'
import { millis, printResults, record, times } from './table.ts'

const SCROLL_MS = 3000
const IDLE_MS = 10_000
/** Of the ticks that /proc counts in; the same on every Linux. */
const TICKS_PER_SECOND = 100

/** How long the frames took while the page was scrolled down by a row and a bit in each. */
async function frames(page: Page, selector: string): Promise<number[]> {
  return page.evaluate(
    ([selector, durationMs]) =>
      new Promise<number[]>(resolve => {
        const scroller = document.querySelector(selector) as HTMLElement
        const deltas: number[] = []
        const start = performance.now()
        let before = start
        const step = (now: number) => {
          deltas.push(now - before)
          before = now
          scroller.scrollTop += 60
          if (now - start < durationMs) requestAnimationFrame(step)
          else resolve(deltas.slice(1))
        }
        requestAnimationFrame(step)
      }),
    [selector, SCROLL_MS] as const,
  )
}

/** The share of one processor that the page's main thread and the host's process take while nobody does anything. */
async function idle(page: Page, pid: number | null): Promise<{ page: number; host: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(metric => metric.name === 'TaskDuration')?.value ?? 0
  }
  const [pageBefore, hostBefore] = [await busy(), await processorSeconds(pid)]
  await sleep(IDLE_MS)
  const [pageAfter, hostAfter] = [await busy(), await processorSeconds(pid)]
  await session.detach()
  const seconds = IDLE_MS / 1000
  return { page: (pageAfter - pageBefore) / seconds, host: (hostAfter - hostBefore) / seconds }
}

async function processorSeconds(pid: number | null): Promise<number> {
  if (pid === null) return 0
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name of the program may have spaces; what follows it has none.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

/** A page with as many rows, as plain as can be and drawn by the browser alone. */
async function plainPage(): Promise<Page> {
  const page = await (await openBrowser()).newPage({ viewport: { width: 1280, height: 800 } })
  onTestFinished(() => page.close())
  await page.setContent('<div id="list" style="height:700px;overflow:auto"></div>')
  await page.evaluate(() => {
    const list = document.getElementById('list') as HTMLElement
    list.innerHTML = Array.from(
      { length: 10_002 },
      (_, i) => `<div style="height:26px">pipeline_lock:tenant:pipeline-${i}</div>`,
    ).join('')
  })
  return page
}

describe('a screen of 10,000 locks', () => {
  afterAll(() => printResults('The screen, against a plain list and the practice store in the same run'))

  it('scrolls as smoothly as a plain list, and idles', async () => {
    const many = await manyLocks(3334)
    onTestFinished(many.close)
    const plain = await plainPage()
    const floor = await frames(plain, '#list')
    const still = await idle(plain, null)
    const practice = await openConsole('web')
    await screen.rows(practice.page).first().waitFor()
    const small = await idle(practice.page, practice.pid)
    await practice.close()
    const full = await openConsole('web', { stores: many.stores })
    await loaded(full)
    const ours = await frames(full.page, '[role=grid] > [role=rowgroup]:last-child')
    await full.page.mouse.move(640, 30)
    await sleep(2000)
    const resting = await idle(full.page, full.pid)
    report(floor, ours, still.page, small, resting)
    // Soft, so that everything is printed. A shared machine disturbs both, hence against the plain list.
    expect.soft(percentile(ours, 0.5)).toBeLessThan(Math.max(20, 2 * percentile(floor, 0.5)))
    expect.soft(ours.filter(ms => ms > 50).length).toBeLessThan(ours.length * 0.05)
    expect.soft(resting.page).toBeLessThan(0.25)
    expect.soft(resting.host).toBeLessThan(0.5)
  })
})

async function loaded({ page }: Console): Promise<void> {
  await expect.poll(() => screen.grid(page).getAttribute('aria-rowcount'), { timeout: 30_000 }).toBe('10003')
  await sleep(3000)
}

type Idle = { page: number; host: number }

function report(
  floor: readonly number[],
  ours: readonly number[],
  still: number,
  small: Idle,
  full: Idle,
): void {
  for (const [what, of] of [
    ['frame, median', (ms: readonly number[]) => percentile(ms, 0.5)],
    ['frame, 95 %', (ms: readonly number[]) => percentile(ms, 0.95)],
  ] as const)
    record({ what, floor: millis(of(floor)), ours: millis(of(ours)), ratio: times(of(ours) / of(floor)) })
  const slow = (ms: readonly number[]) => ms.filter(each => each > 50).length
  record({
    what: 'frames over 50 ms',
    floor: `${slow(floor)} of ${floor.length}`,
    ours: `${slow(ours)} of ${ours.length}`,
  })
  record({
    what: 'idle page, 10,000 locks against practice',
    floor: percent(small.page),
    ours: percent(full.page),
    ratio: times(full.page / small.page),
  })
  record({
    what: 'idle page, practice against a plain list',
    floor: percent(still),
    ours: percent(small.page),
  })
  record({
    what: 'idle host, 10,000 locks against practice',
    floor: percent(small.host),
    ours: percent(full.host),
    ratio: times(full.host / small.host),
  })
}
