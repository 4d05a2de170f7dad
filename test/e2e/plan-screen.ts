import type { Locator, Page } from 'playwright'
import { screen } from './screen.ts'

/** Makes a plan of the locks in the table, and returns its sheet. */
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
  await sheet.getByRole('button', { name: 'Continue…' }).click()
}

/** The field for the confirmation of a store, given as its name and the number of its locks. */
export function confirmationField(sheet: Locator, text: string): Locator {
  const words = text.replace(/[^\w ]/g, '\\$&')
  return sheet.getByRole('textbox', { name: new RegExp(`^Type ${words}-[0-9a-f]{6} to confirm`) })
}

/** What the field asks for, with the code of the plan. */
export async function wantedIn(field: Locator): Promise<string> {
  const label = await field.evaluate(input => (input as HTMLInputElement).labels?.[0]?.textContent ?? '')
  return /^Type (.+-[0-9a-f]{6}) to confirm/.exec(label)?.[1] ?? ''
}

/** Types the confirmations and starts the run. */
export async function confirm(
  sheet: Locator,
  { typed, reason, rate }: { typed: readonly string[]; reason: string; rate?: number },
): Promise<void> {
  await sheet.getByRole('textbox', { name: 'Reason' }).fill(reason)
  for (const text of typed) {
    const field = confirmationField(sheet, text)
    await field.fill(await wantedIn(field))
  }
  if (rate !== undefined)
    await sheet.getByLabel('Locks a second, for each store', { exact: true }).fill(String(rate))
  await sheet.getByRole('button', { name: /^(Release|Restore) [\d,]+ locks?$/ }).click()
}

/** The result in one sentence. */
export async function outcome(sheet: Locator): Promise<string> {
  const region = sheet.getByRole('region', { name: 'Result' })
  await region.waitFor()
  return region.getByRole('status').filter({ hasText: /^Of / }).innerText()
}

export async function isListed(page: Page, key: string): Promise<boolean> {
  return (await screen.row(page, key).count()) > 0
}
