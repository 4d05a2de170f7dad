import type { Locator, Page } from 'playwright'

/** The statistics, as an operator finds them. */
export async function openStats(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Statistics', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor()
  return page.getByRole('main', { name: 'Statistics' })
}

/** One of the numbers of now. */
export function figure(page: Page, name: string): Locator {
  return page
    .getByRole('region', { name: 'Now' })
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
}

export function card(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true })
}

export async function asTable(page: Page, name: string): Promise<Locator> {
  await card(page, name).getByRole('button', { name: 'Table' }).click()
  return card(page, name).getByRole('table')
}

/** The cells of a row, by the heads of their columns. */
export async function cellsOf(table: Locator, row: number): Promise<Record<string, string>> {
  const heads = await table.locator('thead th').allInnerTexts()
  const cells = await table.locator('tbody tr').nth(row).locator('th, td').allInnerTexts()
  return Object.fromEntries(heads.map((head, i) => [head, cells[i] ?? '']))
}

/** How many colours are in the picture: a blank one has one. */
export function coloursIn(chart: Locator): Promise<number> {
  return chart
    .locator('canvas')
    .first()
    .evaluate(element => {
      const canvas = element as HTMLCanvasElement
      const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
      const colours = new Set<string>()
      for (let i = 0; i < pixels.length; i += 4) colours.add(`${pixels[i]} ${pixels[i + 1]} ${pixels[i + 2]}`)
      return colours.size
    })
}
