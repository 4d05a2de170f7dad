import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import type { Check, SwitchNow, SwitchRun, SwitchStep } from '../../shared/switch.ts'
import { arrival, passed, remaining, STORES, sideNow, switchNow, switchRun } from './a-switch.ts'
import { failure, openScripted, type ScriptedCore } from './scripted-core.ts'

const main = (page: Page) => page.getByRole('main')
const steps = (page: Page) => page.getByRole('navigation', { name: 'Steps' }).getByRole('listitem')
const due = (page: Page) => page.locator('[aria-current=step]')
const button = (page: Page, name: string | RegExp) => main(page).getByRole('button', { name })

/** The screen at a switch that is under way. What changes it answers as core would. */
async function openWalk(
  first: SwitchRun,
  now: SwitchNow,
  prepare: (core: ScriptedCore) => void = () => {},
  stores = STORES,
) {
  let run = first
  const screen = await openScripted(stores, core => {
    core.answer('switch.list', () => [run])
    core.answer('switch.pass', ({ step, reason }) => {
      run = switchRun(nextOf(step), {
        passed: [...run.passed, passed(step, Date.now(), { checked: !reason, reason: reason ?? null })],
      })
      return run
    })
    core.answer('switch.back', ({ step }) => {
      run = { ...run, step }
      return run
    })
    prepare(core)
  })
  const { page, core } = screen
  await page.getByRole('button', { name: /^Provider switch/ }).click()
  await core.tellWhenOpen('switch.watch', { run, now })
  await due(page).waitFor()
  const tell = (each: SwitchNow) => core.tell('switch.watch', { run, now: each })
  return { ...screen, tell }
}

function nextOf(step: SwitchStep): SwitchStep {
  const all = ['understand', 'stop', 'drain', 'change', 'clean', 'restart', 'verify'] as const
  return all[all.indexOf(step) + 1] ?? step
}

const met = (...which: SwitchStep[]) =>
  Object.fromEntries(which.map(step => [step, 'met'])) as Partial<Record<SwitchStep, Check['is']>>

it('begins between two stores that programs can share, and never from one to itself', async () => {
  const run = switchRun('understand')
  const { page, core, problems } = await openScripted(STORES, each => each.answer('switch.begin', () => run))
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('switch lock')
  await page.keyboard.press('Enter')
  const from = page.getByRole('group', { name: 'In use today' })
  const to = page.getByRole('group', { name: 'From then on' })
  await expect.poll(() => from.getByRole('radio', { name: /practice/ }).isDisabled()).toBe(true)
  expect(await from.innerText()).toContain('no other program can use it')
  expect(await button(page, 'Begin').isDisabled()).toBe(true)
  await from.getByRole('radio', { name: /^recharges PROD/ }).check()
  expect(await to.getByRole('radio', { name: /^recharges PROD/ }).isDisabled()).toBe(true)
  await to.getByRole('radio', { name: /recharges sql/ }).check()
  await page.getByRole('radio', { name: '5 min', exact: true }).check()
  await button(page, 'Begin').click()
  await expect.poll(() => due(page).innerText()).toContain('Understand the change')
  expect(core.called('switch.begin')).toEqual([
    { fromStoreId: 'recharges', toStoreId: 'recharges sql', quietMs: 300_000 },
  ])
  expect(problems).toEqual([])
})

it('announces once that a check is met, and continues only then', async () => {
  const { page, core, tell } = await openWalk(
    switchRun('stop'),
    switchNow(met('understand'), { arrivals: [arrival('lockRecharge:GPS_PROCESS', 'worker-2', 5000)] }),
  )
  const goOn = button(page, 'Go on: Let the old locks end')
  expect(await goOn.isDisabled()).toBe(true)
  expect(await main(page).innerText()).toContain('Still at work: worker-2.')
  expect(await main(page).getByRole('table', { name: 'What still arrives' }).innerText()).toMatch(
    /ago\s+worker-2\s+taken\s+lockRecharge:GPS_PROCESS/,
  )
  const quiet = main(page).getByRole('meter', { name: 'Quiet for' })
  expect(Number(await quiet.getAttribute('aria-valuenow'))).toBeLessThan(60_000)
  await page.evaluate(() => {
    const said: string[] = []
    Object.assign(window, { said })
    const region = document.querySelector('main [role=status][aria-live]')
    if (region)
      new MutationObserver(() => said.push(region.textContent ?? '')).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      })
  })
  const quietNow = () => switchNow(met('understand', 'stop'), { lastArrivalAt: Date.now() - 70_000 })
  for (let n = 0; n < 3; n++) await tell(quietNow())
  await expect.poll(() => goOn.isEnabled()).toBe(true)
  expect(await quiet.getAttribute('aria-valuenow')).toBe('60000')
  expect(await page.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual([
    'Stop the workers: Nothing was acquired or renewed in recharges for 1 min 00 s.',
  ])
  await goOn.click()
  await expect.poll(() => due(page).innerText()).toContain('Let the old locks end')
  expect(core.called('switch.pass')).toEqual([{ switchId: 'sw1', step: 'stop' }])
  expect(await steps(page).nth(1).innerText()).toMatch(/Stop the workers\s+done/)
  // Whoever works with the keys is not thrown back to the beginning of the page.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'Let the old locks end',
  )
})

it('counts the old locks down, and names those that will not end', async () => {
  const locks = [
    remaining('lockRecharge:VOZ_PROCESS', 'worker-3', { why: 'renewed', renewals: 14 }),
    remaining('aggregation', 'agg-run-007', { why: 'never-ends', endsAt: null }),
    remaining('lockRecharge:SMS_PROCESS', 'worker-1'),
  ]
  const { page, tell } = await openWalk(
    switchRun('drain'),
    switchNow(met('understand', 'stop'), { from: sideNow({ held: 3 }), remaining: locks }),
  )
  const drained = main(page).getByRole('meter', { name: 'Drained' })
  expect(await drained.getAttribute('aria-valuetext')).toBe('9 of 12 have ended')
  expect(await main(page).innerText()).toContain('2 will not end soon: held by worker-3 and agg-run-007.')
  const row = main(page).getByRole('row', { name: /aggregation/ })
  expect(await row.innerText()).toMatch(/never\s+has no expiry/)
  await tell(switchNow(met('understand', 'stop', 'drain'), { from: sideNow({ held: 0 }), remaining: [] }))
  await expect.poll(() => drained.getAttribute('aria-valuetext')).toBe('12 of 12 have ended')
  await expect.poll(() => button(page, 'Go on: Change the provider').isEnabled()).toBe(true)
})

it('requires a reason to pass a check that is not met', async () => {
  const { page, core } = await openWalk(switchRun('drain'), switchNow(met('understand', 'stop')))
  await button(page, 'Go on anyway…').click()
  const send = button(page, 'Go on without the check')
  expect(await send.isDisabled()).toBe(true)
  await page.keyboard.type('  the machine is gone ')
  await page.keyboard.press('Enter')
  await expect.poll(() => due(page).innerText()).toContain('Change the provider')
  expect(core.called('switch.pass')).toEqual([
    { switchId: 'sw1', step: 'drain', reason: 'the machine is gone' },
  ])
  expect(await steps(page).nth(2).innerText()).toMatch(/Let the old locks end\s+by hand/)
})

it('shows exactly what changes in a file, and refuses if the file has changed since', async () => {
  const preview = {
    file: '/srv/.env',
    digest: 'd1',
    value: 'redis',
    wanted: 'mysql',
    lines: [{ line: 14, before: 'LOCK_PROVIDER=redis', after: 'LOCK_PROVIDER=mysql' }],
    copy: '/srv/.env.before',
  }
  const done = {
    file: '/srv/.env',
    copy: '/srv/.env.before',
    before: 'redis',
    after: 'mysql',
    at: Date.now(),
    by: 'ana',
  }
  const { page, core, tell } = await openWalk(
    switchRun('change'),
    switchNow({ ...met('understand', 'stop', 'drain'), change: 'unknown' }),
    each => {
      each.answer('switch.envPreview', () => preview)
      each.answer('switch.envChange', () => failure('The file was changed since it was shown'))
    },
  )
  await page.getByRole('textbox', { name: 'File with the settings' }).fill('../srv/.env')
  await page.keyboard.press('Enter')
  const difference = page.getByRole('table', { name: 'What would change' })
  expect(await difference.innerText()).toMatch(/14\s+−\s+LOCK_PROVIDER=redis\s+14\s+\+\s+LOCK_PROVIDER=mysql/)
  expect(await main(page).innerText()).toContain('/srv/.env.before')
  const change = button(page, 'Change the file and keep a copy')
  await change.click()
  await page.getByRole('alert').getByText('The file was changed since it was shown').waitFor()
  // What was shown is not offered again: it has to be looked at anew.
  expect(await change.count()).toBe(0)
  core.answer('switch.envChange', () => switchRun('change', { envFile: '/srv/.env', envChanges: [done] }))
  await button(page, 'Show it again').click()
  await change.click()
  await page.getByText(/^Changed .* by ana$/).waitFor()
  expect(core.called('switch.envChange')).toEqual(
    Array.from({ length: 2 }, () => ({ switchId: 'sw1', file: '/srv/.env', digest: 'd1' })),
  )
  await tell(
    switchNow(met('understand', 'stop', 'drain', 'change'), { env: { value: 'mysql', problem: null } }),
  )
  await expect.poll(() => main(page).innerText()).toContain('The file says LOCK_PROVIDER=mysql.')
})

it('reports a running worker and a lock with two holders at every step', async () => {
  const at = Date.now()
  const { page, core } = await openWalk(
    switchRun('verify', { strays: [{ key: 'lockRecharge:GPS', holder: 'worker-2', at }] }),
    switchNow(met('understand', 'change', 'restart'), {
      splits: [
        {
          name: 'GPS',
          fromKey: 'lockRecharge:GPS',
          fromHolder: 'worker-2',
          toKey: 'GPS',
          toHolder: 'worker-9',
          since: at,
          until: null,
        },
      ],
    }),
  )
  const split = page.getByRole('region', { name: 'One name is held in both stores at once' })
  expect(await split.innerText()).toMatch(/GPS\s+worker-2\s+worker-9/)
  await split.getByText('Why two providers at once break').click()
  await split.getByText(/fell back to the second one/).waitFor()
  await steps(page).nth(3).getByRole('button').click()
  await page.getByRole('heading', { name: 'Change the provider' }).waitFor()
  expect(await split.isVisible()).toBe(true)
  // A step that was done, and no longer is, says so.
  expect(await steps(page).nth(1).innerText()).toContain('no longer so')
  const stray = page.getByRole('region', { name: /taken in the old store after its workers had stopped/ })
  expect(await stray.innerText()).toMatch(/worker-2\s+lockRecharge:GPS/)
  await stray.getByRole('button', { name: 'Back to stopping the workers' }).click()
  await expect.poll(() => due(page).innerText()).toContain('Stop the workers')
  expect(core.called('switch.back')).toEqual([{ switchId: 'sw1', step: 'stop' }])
  await expect.poll(() => stray.count()).toBe(0)
})

it('blocks the last check after a lock had two holders since the restart, however quiet the store is', async () => {
  const at = Date.now()
  const run = switchRun('verify', {
    splits: [
      {
        ...{ name: 'GPS', fromKey: 'lockRecharge:GPS', fromHolder: 'worker-2', toKey: 'GPS' },
        ...{ toHolder: 'worker-9', since: at - 20_000, until: at - 10_000 },
      },
    ],
  })
  const { page, core } = await openWalk(
    run,
    switchNow(met('understand', 'change', 'restart'), { from: sideNow({ held: 0 }), lastArrivalAt: null }),
  )
  await main(page)
    .getByText(/^GPS was held in recharges by worker-2 and in recharges sql by worker-9 at once/)
    .waitFor()
  expect(await main(page).getByRole('meter', { name: 'The old store is quiet' }).count()).toBe(0)
  expect(await button(page, 'Finish').isDisabled()).toBe(true)
  await button(page, 'Back to stopping the workers').click()
  await expect.poll(() => due(page).innerText()).toContain('Stop the workers')
  expect(core.called('switch.back')).toEqual([{ switchId: 'sw1', step: 'stop' }])
})

it('says that a maintenance hold has no worker', async () => {
  const hold = remaining('lockRecharge:GPS', 'maintenance hold of ana@desk', { why: 'hold', renewals: 9 })
  const { page } = await openWalk(
    switchRun('drain'),
    switchNow(met('understand', 'stop', 'drain'), {
      from: sideNow({ held: 1, holds: 1 }),
      remaining: [hold],
    }),
  )
  const said = await main(page).innerText()
  expect(said).toContain('One of them is a maintenance hold. No worker has it')
  expect(said).toMatch(/maintenance hold of ana@desk\s.*\s*an operator holds it: release it before cleaning/)
  expect(said).not.toMatch(/will not end soon|extends it/)
  expect(await button(page, 'Go on: Change the provider').isEnabled()).toBe(true)
})

it('lets the operator read an earlier step and go back to it', async () => {
  const { page, core } = await openWalk(switchRun('change'), switchNow(met('understand', 'stop', 'drain')))
  await steps(page).nth(1).getByRole('button').click()
  await page.getByRole('heading', { name: 'Stop the workers' }).waitFor()
  expect(core.called('switch.back')).toEqual([])
  expect(await due(page).innerText()).toContain('Change the provider')
  await button(page, 'To the step that is due: Change the provider').click()
  await page.getByRole('heading', { name: 'Change the provider' }).waitFor()
  await steps(page).nth(1).getByRole('button').click()
  await button(page, 'Go back to this step').click()
  await expect.poll(() => due(page).innerText()).toContain('Stop the workers')
})

it('shows a check as unknown while the old store does not answer', async () => {
  const { page } = await openWalk(
    switchRun('drain'),
    switchNow(
      { understand: 'unknown', stop: 'unknown', drain: 'unknown' },
      {
        from: sideNow({
          status: 'down',
          error: { code: 'STORE_UNREACHABLE', message: 'The server cannot be reached' },
        }),
      },
    ),
  )
  await page.getByText(/^recharges does not answer/).waitFor()
  expect(await steps(page).nth(2).innerText()).toContain('unknown')
  expect(await button(page, 'Go on: Change the provider').isDisabled()).toBe(true)
  expect(await button(page, 'Go on anyway…').isEnabled()).toBe(true)
})

it('shows no age for a store that the switch has not polled yet', async () => {
  const at = Date.now()
  const unread = sideNow({ status: 'stale', held: null })
  const watched = STORES.map(each => ({ ...each, revision: 1 }))
  const { page, core, tell } = await openWalk(
    switchRun('understand'),
    switchNow({}, { from: unread }),
    () => {},
    watched,
  )
  // The list of locks knows it already.
  await core.tellWhenOpen('locks.watch', {
    ...{ type: 'status', status: 'live', since: at, asOf: at, offsetMs: 0, error: null, retryInMs: null },
  })
  const notice = main(page)
    .getByRole('status')
    .filter({ hasText: /^recharges is/ })
  await expect.poll(() => notice.innerText()).toBe('recharges is being read for the first time.')
  await tell(switchNow({}, { from: { ...unread, held: 3 } }))
  await expect.poll(() => notice.innerText()).toMatch(/^recharges is behind: .* as of \d/)
})

it('cleans with a plan that is shown first', async () => {
  const { page, core } = await openWalk(
    switchRun('clean'),
    switchNow(met('understand', 'stop', 'drain', 'change'), { from: sideNow({ held: 0, expired: 3 }) }),
    each => each.answer('switch.plan', () => failure('Nothing is left to release')),
  )
  await button(page, 'Make a release plan…').click()
  await page.getByRole('dialog', { name: 'Release what is left' }).getByText('Nothing is left').waitFor()
  expect(core.called('switch.plan')).toEqual([{ switchId: 'sw1' }])
})

it('is abandoned only with a reason, and reports what was done', async () => {
  const ended = { at: Date.now(), by: 'ana', how: 'abandoned' as const, reason: 'too late today' }
  const { page, core } = await openWalk(switchRun('stop'), switchNow(met('understand')), each =>
    each.answer('switch.abandon', () => switchRun('stop', { ended })),
  )
  await button(page, 'Abandon…').click()
  const dialog = page.getByRole('dialog', { name: 'Abandon this switch' })
  expect(await dialog.getByRole('button', { name: 'Abandon' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('too late today')
  await dialog.getByRole('button', { name: 'Abandon' }).click()
  await page.getByRole('heading', { name: 'Abandoned' }).waitFor()
  expect(await main(page).innerText()).toContain('Reason: too late today')
  await page.getByRole('radio', { name: 'Markdown' }).check()
  await button(page, 'Save the report').click()
  const download = page.waitForEvent('download')
  await core.tellWhenOpen('switch.report', { text: '# Switch\n' })
  await core.tell('switch.report', { text: 'abandoned\n' })
  await core.end('switch.report', { ok: true, value: null })
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^lockkeeper-switch-\d{8}-\d{4}\.md$/)
  expect(await readFile(await file.path(), 'utf8')).toBe('# Switch\nabandoned\n')
})

it('calls a switch finished only if its last check was met', async () => {
  const last = (checked: boolean) =>
    switchRun('verify', {
      passed: [passed('verify', Date.now(), { checked, reason: checked ? null : 'no time' })],
      ended: { at: Date.now(), by: 'ana', how: 'finished', reason: null },
    })
  const { page, core } = await openWalk(switchRun('verify'), switchNow(met('verify')), each =>
    each.answer('switch.pass', () => last(false)),
  )
  await button(page, 'Finish').click()
  await page.getByRole('heading', { name: 'Finished by hand' }).waitFor()
  expect(await main(page).innerText()).toContain('By hand: no time.')
  await button(page, 'All switches').click()
  core.answer('switch.list', () => [last(true)])
  await page.keyboard.press('1')
  await page.keyboard.press('4')
  await button(page, /^Look at it/).click()
  await page.getByRole('heading', { name: 'Finished', exact: true }).waitFor()
})
