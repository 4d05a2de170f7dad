import { expect, it } from 'vitest'
import type { Connections, Session } from '../../../../electron/core/stores/mysql/connect.ts'
import type { Column } from '../../../../electron/core/stores/mysql/format/table.ts'
import { rechargeTable } from '../../../../electron/core/stores/mysql/formats/recharge-table.ts'
import { pagesOfTables } from '../../../../electron/core/stores/mysql/list.ts'

const column = (name: string): Column => ({
  name,
  type: 'varchar',
  binary: false,
  nullable: false,
  charset: 'utf8mb4',
  collation: 'utf8mb4_bin',
  width: 50,
  precision: 0,
  generated: false,
  numbered: false,
})

it('ends a list whose server sends the same page again and again', async () => {
  const names = rechargeTable.columns
  const columns = new Map(names.map(name => [name, column(name)]))
  const shape = { name: 'locks', columns, unique: new Set(['lock_key']) }
  let asked = 0
  const read: Session['read'] = async sql => {
    asked++
    const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1])
    const row = ['2026-01-01 00:00:00.000000', '0', ...names.map(() => 'same')]
    return Array.from({ length: limit }, () => row)
  }
  const use = <T>(_: AbortSignal, work: (session: Session) => Promise<T>) => work({ read } as Session)
  const tables = [{ shape, format: rechargeTable, key: column('lock_key'), isOnly: true }]
  const never = new AbortController().signal
  const connections = { use } as unknown as Connections
  const list = async () => {
    for await (const _ of pagesOfTables(connections, { tables, rejected: [] }, never, true));
  }
  await expect(list()).rejects.toThrow('returned the same position in the list twice')
  expect(asked).toBeLessThan(10)
})
