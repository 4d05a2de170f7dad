import type { Locator, Page } from 'playwright'

/** What an operator sees and works with, found by role and name as assistive tools find it. */
export const screen = {
  grid: (page: Page): Locator => page.getByRole('grid', { name: 'Locks' }),
  /** Rows of locks, without the head. */
  rows: (page: Page): Locator => page.getByRole('grid').locator('[role=rowgroup]').nth(1).getByRole('row'),
  row: (page: Page, text: string): Locator => screen.rows(page).filter({ hasText: text }),
  cell: (row: Locator, column: string): Locator => row.locator(`[data-column="${column}"]`),
  stores: (page: Page): Locator => page.getByRole('navigation', { name: 'Stores' }),
  /** The entry of a store at the left, with what is said about it. */
  store: (page: Page, name: string): Locator =>
    screen
      .stores(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: `Actions for ${name}`, exact: true }) }),
  filter: (page: Page): Locator => page.getByRole('textbox', { name: 'Filter locks' }),
  inspector: (page: Page): Locator => page.getByRole('complementary', { name: 'Inspector' }),
  dialog: (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name }),
  status: (page: Page): Locator => page.getByRole('contentinfo'),
}

export async function inspect(page: Page, text: string): Promise<Locator> {
  await screen.row(page, text).first().click()
  const inspector = screen.inspector(page)
  await inspector.waitFor()
  return inspector
}

/** Opens the dialog that releases a lock, and returns it. */
export async function askRelease(page: Page, text: string): Promise<Locator> {
  const inspector = await inspect(page, text)
  // The details push the button down when they arrive: a click in that moment would miss it.
  await inspector.getByText('Reading…', { exact: true }).waitFor({ state: 'detached' })
  await inspector.getByRole('button', { name: 'Release…' }).click()
  const dialog = screen.dialog(page, 'Release lock')
  await dialog.waitFor()
  return dialog
}

export async function storeAction(page: Page, store: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${store}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** The keys of the rows in view, in their order. */
export async function keysInView(page: Page): Promise<string[]> {
  const rows = await screen.rows(page).evaluateAll(elements =>
    elements
      .map(row => ({
        index: Number(row.getAttribute('aria-rowindex')),
        key: row.querySelector('[data-column="key"]')?.textContent ?? '',
      }))
      .sort((a, b) => a.index - b.index),
  )
  return rows.map(row => row.key)
}
