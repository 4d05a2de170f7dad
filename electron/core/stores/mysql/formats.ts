import { rechargeTable } from './formats/recharge-table.ts'
import { shedlockTable } from './formats/shedlock-table.ts'
import type { MysqlFormat } from './table.ts'

export const MYSQL_FORMATS: readonly MysqlFormat[] = [rechargeTable, shedlockTable]
