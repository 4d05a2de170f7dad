import { StoreError } from '../../lib/errors.ts'
import type {
  Column,
  MysqlProgram,
  MysqlRaw,
  PastTime,
  SeenColumn,
  TableShape,
  Value,
} from './format/table.ts'
import { WIDEST_ZONE_HOURS } from './format/times.ts'

/** A piece of SQL and the values bound to its question marks. */
export type Sql = { readonly text: string; readonly values: readonly Value[] }

/** Joins pieces of SQL. Values are always bound. With loops: each release writes its own statement. */
function sql(texts: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  let text = texts[0] as string
  const values: Value[] = []
  for (const [i, part] of parts.entries()) {
    text += part.text + texts[i + 1]
    for (const value of part.values) values.push(value)
  }
  return { text, values }
}

function join(parts: readonly Sql[], separator: string): Sql {
  let text = ''
  const values: Value[] = []
  for (const part of parts) {
    text += text === '' ? part.text : separator + part.text
    for (const value of part.values) values.push(value)
  }
  return { text, values }
}

function verbatim(text: string): Sql {
  return { text, values: [] }
}

/** Bytes travel in hexadecimal, so that no character set on the way can change them. */
function bind(value: Value): Sql {
  return { text: '?', values: [Buffer.isBuffer(value) ? value.toString('hex') : value] }
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

function nameSql({ name }: { readonly name: string }): Sql {
  return verbatim(quoteName(name))
}

export function columnOf(table: TableShape, column: string): Column {
  const found = table.columns.get(column)
  if (!found) throw new StoreError('STORE_ERROR', 'The table was altered meanwhile, so list again')
  return found
}

/** A column as it is read: bytes as they are, everything else as the server's own text. */
export function readable(column: Column): string {
  const name = quoteName(column.name)
  return column.binary ? `CAST(${name} AS BINARY)` : `CONVERT(${name} USING utf8mb4)`
}

/** Byte for byte the same. `=` alone would take `A` for `a`, and under most collations ignore spaces at the end. */
export function isExactly(column: Column, value: Value): Sql {
  const content = verbatim(readable(column))
  return column.binary
    ? sql`${content} <=> UNHEX(${bind(value)})`
    : sql`CAST(${content} AS BINARY) <=> CAST(${bind(value)} AS BINARY)`
}

/** Compares with the key under the column's own collation, which is what its index and ORDER BY go by. */
export function compareKey(column: Column, operator: '=' | '>', value: Value): Sql {
  return sql`${nameSql(column)} ${verbatim(operator)} ${asKey(column, value)}`
}

/** The one row with exactly this key: found through the index, then compared byte for byte. */
export function rowWithKey(column: Column, value: Value): Sql {
  return allOf([compareKey(column, '=', value), isExactly(column, value)])
}

function asKey({ binary, charset, collation }: Column, value: Value): Sql {
  if (binary) return sql`UNHEX(${bind(value)})`
  if (!isPlainName(charset) || !isPlainName(collation)) return bind(value)
  return sql`CONVERT(${bind(value)} USING ${verbatim(charset)}) COLLATE ${verbatim(collation)}`
}

function isPlainName(name: string | null): name is string {
  return name !== null && /^[a-z0-9_]+$/i.test(name)
}

export function allOf(conditions: readonly Sql[]): Sql {
  return join(conditions, ' AND ')
}

export function anyOf(conditions: readonly Sql[]): Sql {
  return sql`(${join(conditions, ' OR ')})`
}

/** The statement of a release: finds the row by its key and changes it only if everything that was seen is unchanged. */
export function releaseStatement(program: MysqlProgram): Sql {
  const { table } = program
  const where = allOf([byKey(program), ...program.seen.map(each => isStill(table, each))])
  if (program.op === 'delete') return sql`DELETE FROM ${nameSql(table)} WHERE ${where}`
  const set = program.set.map(([name, to]) => {
    const column = columnOf(table, name)
    const others = to.orEarlier.map(other => nameSql(columnOf(table, other)))
    return sql`${nameSql(column)} = ${newValue(column, to, others)}`
  })
  return sql`UPDATE ${nameSql(table)} SET ${join(set, ', ')} WHERE ${where}`
}

function byKey({ table, key: [column, value] }: MysqlProgram): Sql {
  return compareKey(columnOf(table, column), '=', value)
}

function isStill(table: TableShape, [column, value]: SeenColumn): Sql {
  return isExactly(columnOf(table, column), value)
}

/** What a release writes into a column; `others` stands for the columns that may be earlier. */
function newValue(column: Column, to: PastTime, others: readonly Sql[]): Sql {
  // Cut to the column's own precision: MySQL would round a finer time up, into the future.
  const time = asTime(column, to.readAt.slice(0, column.precision === 0 ? 19 : 20 + column.precision))
  const past = to.inEveryZone ? sql`${time} - INTERVAL ${verbatim(String(WIDEST_ZONE_HOURS))} HOUR` : time
  return others.length === 0 ? past : sql`LEAST(${join([...others, past], ', ')})`
}

/** A time in a binary column is text as well, so its bytes are not converted to hexadecimal. */
function asTime({ precision }: Column, value: Value): Sql {
  return sql`CAST(${{ text: '?', values: [value] }} AS DATETIME(${verbatim(String(precision))}))`
}

/** Undoes a release: inserts a deleted row if its unique key is free, or reverts an update if the row is still as it was left. */
export function restoreStatement(program: MysqlProgram, raw: MysqlRaw): Sql {
  const { table } = program
  const seen = (column: string): Value => raw.row[column] ?? null
  const stored = ({ name, binary }: Column) => {
    const value = bind(seen(name.toLowerCase()))
    return binary ? sql`UNHEX(${value})` : value
  }
  if (program.op === 'delete') {
    const columns = [...table.columns.values()].filter(({ generated }) => !generated)
    const values = join(columns.map(stored), ', ')
    return sql`INSERT INTO ${nameSql(table)} (${join(columns.map(nameSql), ', ')}) VALUES (${values})`
  }
  const unchanged = program.seen.filter(([column]) => !program.set.some(([name]) => name === column))
  const asLeft = program.set.map(([name, to]) => {
    const column = columnOf(table, name)
    const others = to.orEarlier.map(other => asTime(column, seen(other)))
    return sql`${nameSql(column)} <=> ${newValue(column, to, others)}`
  })
  const columns = program.set.map(([name]) => columnOf(table, name))
  const set = columns.map(column => sql`${nameSql(column)} = ${stored(column)}`)
  const where = allOf([byKey(program), ...unchanged.map(each => isStill(table, each)), ...asLeft])
  return sql`UPDATE ${nameSql(table)} SET ${join(set, ', ')} WHERE ${where}`
}

/** The statement with its values in place, for people to read; never sent. */
export function showSql(sql: Sql): string {
  return fillIn(sql, shownLiteral)
}

/** The complete statement with its values in place, for a client with any SQL mode. */
export function exactSql(sql: Sql): string {
  return fillIn(sql, exactLiteral)
}

function fillIn({ text, values }: Sql, write: (value: Value) => string): string {
  let next = 0
  // Names may contain question marks: text in backticks is passed over.
  return text.replace(/`(?:[^`]|``)*`|\?/g, part => (part === '?' ? write(values[next++] ?? null) : part))
}

const SHOWN_VALUE = 200
const ESCAPES: Record<string, string> = { '\0': '\\0', '\n': '\\n', '\r': '\\r', '\x1a': '\\Z', "'": "''" }

function shownLiteral(value: Value): string {
  if (value === null) return 'NULL'
  const text = String(value)
  const shown = text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not stay as they are
  return `'${shown.replace(/[\0\n\r\x1a'\\]/g, char => ESCAPES[char] ?? `\\${char}`)}'`
}

/** The meaning of a backslash depends on the SQL mode and the client: anything but plain text is written in hexadecimal. */
function exactLiteral(value: Value): string {
  if (value === null) return 'NULL'
  const bytes = Buffer.from(value as string)
  const text = bytes.toString('latin1')
  return /^[\w .:,;@+=/()[\]{}<>*#%&|!?~^$-]*$/.test(text)
    ? `'${text}'`
    : `_utf8mb4 0x${bytes.toString('hex')}`
}
