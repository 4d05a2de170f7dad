import { describe, expect, it } from 'vitest'
import { HOSTS, openConsole } from './console.ts'
import { keysInView, screen } from './screen.ts'

describe.each(HOSTS)('the first start, in %s', host => {
  it('shows the practice store at work, with stuck locks on top', async () => {
    const { page, problems } = await openConsole(host)
    await screen
      .store(page, 'practice')
      .getByText(/live · /)
      .waitFor()
    const rows = screen.rows(page)
    await expect.poll(() => rows.count()).toBeGreaterThan(4)
    for (const index of [0, 1, 2])
      expect(await screen.cell(rows.nth(index), 'state').innerText()).toContain('Expired')

    const held = rows.filter({ hasText: 'Held' }).first()
    const key = await screen.cell(held, 'key').innerText()
    const left = await screen.cell(held, 'remaining').innerText()
    const before = await keysInView(page)
    await expect
      .poll(async () => screen.cell(screen.row(page, key).first(), 'remaining').innerText(), {})
      .not.toBe(left)
    await expect.poll(() => keysInView(page)).not.toEqual(before)
    expect(await screen.status(page).innerText()).toContain('1 store live')
    expect(problems).toEqual([])
  })
})
