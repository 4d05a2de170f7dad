import type { Locator, Page } from 'playwright'
import { screen } from './screen.ts'

/** Makes a plan of what the table shows, and returns the sheet on which it is looked over. */
export async function releaseAll(page: Page, button = 'Release all…'): Promise<Locator> {
  await page.getByRole('button', { name: button, exact: true }).click()
  return planSheet(page, /^Release [\d,]+ locks?$/)
}

export async function planSheet(page: Page, title: RegExp): Promise<Locator> {
  const sheet = page.getByRole('dialog', { name: title })
  await sheet.waitFor()
  return sheet
}

export function planRow(sheet: Locator, key: string): Locator {
  return sheet.getByRole('grid', { name: 'Locks of the plan' }).getByRole('row').filter({ hasText: key })
}

export async function goOn(sheet: Locator): Promise<void> {
  await sheet.getByRole('button', { name: /^Go on to / }).click()
}

/** Types what has to be typed, and begins. */
export async function confirm(
  sheet: Locator,
  { typed, reason, rate }: { typed: readonly string[]; reason: string; rate?: number },
): Promise<void> {
  await sheet.getByRole('textbox', { name: 'Reason' }).fill(reason)
  for (const text of typed) await sheet.getByRole('textbox', { name: `Type ${text} to confirm` }).fill(text)
  if (rate !== undefined)
    await sheet.getByLabel('Locks a second, for each store', { exact: true }).fill(String(rate))
  await sheet.getByRole('button', { name: /^(Release|Put back) [\d,]+ locks?$/ }).click()
}

/** The sentence that says what became of it. */
export async function outcome(sheet: Locator): Promise<string> {
  const region = sheet.getByRole('region', { name: 'What became of it' })
  await region.waitFor({ timeout: 30_000 })
  return region.locator('.plan-outcome').innerText()
}

export async function isListed(page: Page, key: string): Promise<boolean> {
  return (await screen.row(page, key).count()) > 0
}
