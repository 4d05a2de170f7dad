import type { MysqlFormat } from '../format/table.ts'
import { rechargeTable } from './recharge-table.ts'
import { shedlockTable } from './shedlock-table.ts'

export const MYSQL_FORMATS: readonly MysqlFormat[] = [rechargeTable, shedlockTable]
