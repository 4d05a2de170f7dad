import type { Format, Take } from '../../types.ts'

/** What the server sends for a column: its own text, or bytes where the column is binary. */
export type Value = string | Buffer | null

export type Column = {
  /** As the table spells it. */
  readonly name: string
  /** In lower case and without its size: `varchar`, `timestamp`. */
  readonly type: string
  /** Bytes without a character set. */
  readonly binary: boolean
  readonly nullable: boolean
  readonly charset: string | null
  readonly collation: string | null
  /** In characters; 0 for anything but text. */
  readonly width: number
  /** Digits after the second of a time. */
  readonly precision: number
  /** Computed by the server, which accepts no value for it. */
  readonly generated: boolean
  /** AUTO_INCREMENT. */
  readonly numbered: boolean
}

export type TableShape = {
  readonly name: string
  /** By lower-case name: the server does not tell `Name` from `name`. */
  readonly columns: ReadonlyMap<string, Column>
  /** The columns, in lower case, that are unique by themselves. */
  readonly unique: ReadonlySet<string>
}

/** One row, by lower-case column. Text is the server's own, which keeps every digit. `readAt` is the server's time as text. */
export type MysqlRaw = {
  readonly table: TableShape
  readonly row: Readonly<Record<string, Value>>
  readonly readAt: string
  /** Columns that are not part of the lock, and too large to be read with it. */
  readonly unread?: readonly string[]
}

/** A column, in lower case, and what was seen in it. */
export type SeenColumn = readonly [column: string, value: Value]

/**
 * The time that an update writes: the server's when the row was read, or the earliest of these columns if that is earlier.
 * `inEveryZone` goes so far back that the time is past on every wall clock. What was written is known exactly, so that our
 * own release can be told from the holder's.
 */
export type PastTime = {
  readonly readAt: string
  readonly orEarlier: readonly string[]
  readonly inEveryZone: boolean
}

/** Changes the row that `key` names, in one statement, only if every column in `seen` is still the same. */
export type MysqlProgram = {
  readonly table: TableShape
  readonly key: SeenColumn
  readonly seen: readonly SeenColumn[]
} & (
  | { readonly op: 'delete' }
  | { readonly op: 'update'; readonly set: readonly (readonly [column: string, to: PastTime])[] }
)

/** A format of rows, recognized by the columns of the table and not by its name. */
export interface MysqlFormat extends Format<MysqlRaw, MysqlProgram> {
  /** `table`: the one that its programs agree on. */
  readonly take?: Take & { readonly table: string }
  /** The column that names the lock. It must be unique. */
  readonly keyColumn: string
  /** All required columns, including the key column. */
  readonly columns: readonly string[]
  /** Read too if the table has them. */
  readonly optionalColumns: readonly string[]
  /** The privilege a release needs. */
  readonly needs: 'DELETE' | 'UPDATE'
}

export function missingColumns(table: TableShape, wanted: readonly string[]): string[] {
  return wanted.filter(column => !table.columns.has(column))
}
