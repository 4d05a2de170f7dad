import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(AXE)
}

type Violation = {
  id: string
  impact: string | null
  nodes: { target: unknown[]; failureSummary?: string }[]
}

/** What axe calls serious or critical, in light and dark, wide and narrow; of a dialog, which looks alike, in two of the four. */
export async function troubles(
  page: Page,
  where: string,
  widths = { light: [1280, 700], dark: [1280, 700] },
): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of widths[colorScheme]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 800 })
      const violations = (await page.evaluate(
        '(async () => (await axe.run(document, { resultTypes: ["violations"] })).violations)()',
      )) as Violation[]
      for (const { id, impact, nodes } of violations) {
        if (impact !== 'serious' && impact !== 'critical') continue
        const real: Violation['nodes'] = []
        for (const node of nodes)
          if (id !== 'scrollable-region-focusable' || !(await isGridBody(page, node.target))) real.push(node)
        if (real.length === 0) continue
        const which = real.map(node => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join('; ')
        found.push(`${where}, ${colorScheme}, ${width}: ${id}: ${which}`)
      }
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  return found
}

/** The grid around its body has the focus, and the grid's keys scroll the body; axe does not see that. */
function isGridBody(page: Page, target: readonly unknown[]): Promise<boolean> {
  return page.evaluate(
    selector => document.querySelector(selector)?.matches('[role=grid] > [role=rowgroup]') ?? false,
    target.join(' '),
  )
}
