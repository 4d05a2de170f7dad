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

  it('is not reported any longer once the same action succeeds', async () => {
    const { page, core } = await open()
    await storeAction(page, 'cache', 'Close')
    await page.getByRole('alert').getByText(WHY).waitFor()
    core.answer('stores.setOpen', () => storeEntry('cache', { open: false }))
    await storeAction(page, 'cache', 'Close')
    await expect.poll(() => page.getByRole('alert').getByText(WHY).count()).toBe(0)
  })
})

it('says that the formats could not be read, because releases are then not explained', async () => {
  const { page } = await openScripted(STORES, core =>
    core.answer('formats.list', () => failure('no formats')),
  )
  await page.getByRole('alert').getByText('Lock formats were not loaded. no formats.').waitFor()
})
