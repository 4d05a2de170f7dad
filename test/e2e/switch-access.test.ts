import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { SWITCH_STEPS, type SwitchNow, type SwitchRun } from '../../shared/switch.ts'
import { arrival, remaining, STORES, sideNow, switchNow, switchRun } from './a-switch.ts'
import { loadAxe, troubles } from './axe.ts'
import { openScripted } from './scripted-core.ts'

const HOSTILE = '<img src=x onerror="window.__pwned=1">turned\u202egnp\u200b\x1b[2J'
/** Controls, marks that reorder text, and what cannot be seen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const RAW = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/

function beyondFrame(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
    return [scrollWidth - clientWidth, scrollHeight - clientHeight]
  })
}

/** Everything at once, under the worst names. */
function hostileNow(): SwitchNow {
  const long = `${HOSTILE}${'w'.repeat(300)}`
  return switchNow(
    { understand: 'met', stop: 'unknown', clean: 'met' },
    {
      from: sideNow({
        status: 'down',
        server: long,
        error: { code: 'STORE_UNREACHABLE', message: 'The server cannot be reached' },
        unrecognised: 2,
      }),
      arrivals: [arrival(long, long, 4000), arrival('plain', null, 90_000)],
      remaining: [
        remaining(long, long, { why: 'renewed', renewals: 3 }),
        remaining('plain', null, { why: 'never-ends', endsAt: null }),
      ],
      env: { value: long, problem: null },
      splits: [
        {
          name: long,
          fromKey: long,
          fromHolder: long,
          toKey: long,
          toHolder: null,
          since: Date.now(),
          until: null,
        },
      ],
    },
  )
}

it('the switch is accessible, whatever the names of stores and locks are', async () => {
  const named = (run: SwitchRun): SwitchRun => ({
    ...run,
    by: HOSTILE,
    from: { ...run.from, storeName: HOSTILE },
    strays: [{ key: HOSTILE, holder: HOSTILE, at: Date.now() }],
    envChanges: [
      { file: HOSTILE, copy: HOSTILE, before: HOSTILE, after: 'mysql', at: Date.now(), by: HOSTILE },
    ],
  })
  const run = named(switchRun('verify'))
  const ended: SwitchRun = {
    ...run,
    switchId: 'old',
    passed: run.passed.map(each => ({ ...each, checked: false, reason: HOSTILE })),
    ended: { at: Date.now(), by: HOSTILE, how: 'abandoned', reason: HOSTILE },
  }
  const { page, core, problems } = await openScripted(STORES, each =>
    each.answer('switch.list', () => [run, ended]),
  )
  await page.keyboard.press('4')
  await core.tellWhenOpen('switch.watch', { run, now: hostileNow() })
  await page.getByRole('heading', { name: 'Verify' }).waitFor()
  await loadAxe(page)
  const found: string[] = []
  const look = async (where: string, widths: Parameters<typeof troubles>[2]) => {
    found.push(...(await troubles(page, where, widths)))
    expect(await page.locator('body').innerText(), where).not.toMatch(RAW)
    expect(await page.evaluate(() => (window as { __pwned?: unknown }).__pwned), where).toBeUndefined()
    for (const width of [1280, 600, 480]) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(() => beyondFrame(page), { message: `${where}, ${width} wide` }).toEqual([0, 0])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  for (const [i] of SWITCH_STEPS.entries()) {
    await page.getByRole('navigation', { name: 'Steps' }).getByRole('button').nth(i).click()
    await page.getByText(`Step ${i + 1} of 7`).waitFor()
    await look(`step ${i + 1}`, { light: [1280], dark: [700] })
  }
  await page.getByRole('button', { name: 'Go on anyway…' }).click()
  await look('a reason', { light: [700], dark: [1280] })
  await page.getByRole('button', { name: 'All switches' }).click()
  await page.getByRole('button', { name: 'Begin' }).waitFor()
  await look('the start', { light: [1280], dark: [700] })
  await page.getByRole('button', { name: /^Look at it/ }).click()
  await page.getByRole('heading', { name: 'Abandoned' }).waitFor()
  await look('the end', { light: [1280], dark: [700] })
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
