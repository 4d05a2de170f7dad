import { describe, expect, it } from 'vitest'
import { openConsole, profile } from '../console.ts'
import { planning } from '../plans/planning.ts'

const reason = 'it is stuck'

describe('the name of a production store', () => {
  it('is quoted for a shell wherever it is to be typed', async () => {
    const c = openConsole()
    const name = 'Bob $(touch x) "x"'
    const { storeId } = await c.ask('stores.add', { profile: profile({ name, production: true }) })
    const release = { storeId, id: 'acme:a', fence: 'f', reason }
    await expect(c.ask('locks.release', release)).rejects.toThrow(`--confirm 'Bob $(touch x) "x"')`)
  })
})
