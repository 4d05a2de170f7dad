import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { storeEntry } from './a-switch.ts'
import { screen, storeAction } from './screen.ts'
import { failure, openScripted } from './scripted-core.ts'

const STORES = [storeEntry('cache'), storeEntry('spare', { open: false })]
const WHY = 'stores.json cannot be written: the disk is full'

async function open() {
  return await openScripted(STORES, core => core.answer('stores.setOpen', () => failure(WHY)))
}

async function command(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(text)
  await page.keyboard.press('Enter')
}

describe('a store that cannot be opened or closed', () => {
  it.each<[string, string, (page: Page) => Promise<void>]>([
    [
      'a click on it',
      'spare was not opened.',
      page => screen.store(page, 'spare').getByText('spare').click(),
    ],
    ['its menu', 'cache was not closed.', page => storeAction(page, 'cache', 'Close')],
    ['a command', 'cache was not closed.', page => command(page, 'Close cache')],
  ])('is reported with the reason after %s, until dismissed', async (_, what, act) => {
    const { page, core, problems } = await open()
    await act(page)
    const alert = page.getByRole('alert').filter({ hasText: what })
    await alert.getByText(WHY).waitFor()
    expect(core.called('stores.setOpen')).toHaveLength(1)
    await alert.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => alert.count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('is no longer reported once the same action succeeds', async () => {
    const { page, core } = await open()
    await storeAction(page, 'cache', 'Close')
    await page.getByRole('alert').getByText(WHY).waitFor()
    core.answer('stores.setOpen', () => storeEntry('cache', { open: false }))
    await storeAction(page, 'cache', 'Close')
    await expect.poll(() => page.getByRole('alert').getByText(WHY).count()).toBe(0)
  })
})

it('announces a refusal in a dialog again when the request is repeated', async () => {
  const { page, core } = await openScripted(STORES, each => each.answer('stores.edit', () => failure(WHY)))
  await storeAction(page, 'cache', 'Edit')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await dialog.evaluate(element => {
    const announced: string[] = []
    Object.assign(window, { announced })
    const alertsIn = (nodes: NodeList) => [...nodes].filter(each => (each as Element).role === 'alert')
    new MutationObserver(changes => {
      for (const { addedNodes } of changes)
        for (const alert of alertsIn(addedNodes)) announced.push(alert.textContent ?? '')
    }).observe(element, { childList: true, subtree: true })
  })
  const announced = () => page.evaluate(() => (window as unknown as { announced: string[] }).announced.length)
  for (const times of [1, 2]) {
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => core.called('stores.edit').length).toBe(times)
    await expect.poll(() => dialog.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(true)
    expect(await announced()).toBe(times)
  }
})

it('reports unreadable formats, because releases lack their explanation', async () => {
  const { page } = await openScripted(STORES, core =>
    core.answer('formats.list', () => failure('no formats')),
  )
  await page.getByRole('alert').getByText('Lock formats were not loaded. no formats.').waitFor()
})
