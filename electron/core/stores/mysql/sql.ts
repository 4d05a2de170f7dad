import { StoreError } from '../../lib/errors.ts'
import type {
  Column,
  MysqlProgram,
  MysqlRaw,
  NewValue,
  SeenColumn,
  TableShape,
  Value,
} from './format/table.ts'
import { WIDEST_ZONE_HOURS } from './format/times.ts'

/** A piece of SQL and the values bound to its question marks. */
export type Sql = { readonly text: string; readonly values: readonly Value[] }

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
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
  const bytes = column.binary ? readable(column) : `CAST(${readable(column)} AS BINARY)`
  return { text: `${bytes} <=> ${column.binary ? 'UNHEX(?)' : 'CAST(? AS BINARY)'}`, values: [bound(value)] }
}

/** Compares with the key under the column's own collation, which is what its index and ORDER BY go by. */
export function compareKey(column: Column, operator: '=' | '>', value: Value): Sql {
  return { text: `${quoteName(column.name)} ${operator} ${asKey(column)}`, values: [bound(value)] }
}

/** The one row with exactly this key: found through the index, then compared byte for byte. */
export function rowWithKey(column: Column, value: Value): Sql {
  return allOf([compareKey(column, '=', value), isExactly(column, value)])
}

function asKey(column: Column): string {
  if (column.binary) return 'UNHEX(?)'
  const { charset, collation } = column
  if (!isPlainName(charset) || !isPlainName(collation)) return '?'
  return `CONVERT(? USING ${charset}) COLLATE ${collation}`
}

/** Bytes travel in hexadecimal, so that no character set on the way can change them. */
function bound(value: Value): string | null {
  return Buffer.isBuffer(value) ? value.toString('hex') : value
}

function isPlainName(name: string | null): name is string {
  return name !== null && /^[a-z0-9_]+$/i.test(name)
}

export function allOf(conditions: readonly Sql[]): Sql {
  return {
    text: conditions.map(each => each.text).join(' AND '),
    values: conditions.flatMap(each => each.values),
  }
}

export function anyOf(conditions: readonly Sql[]): Sql {
  return {
    text: `(${conditions.map(each => each.text).join(' OR ')})`,
    values: conditions.flatMap(each => each.values),
  }
}

/** The statement of a release: it finds the row by its key and acts only if everything seen is still the same. */
export function releaseStatement(program: MysqlProgram): Sql {
  const { table } = program
  const [keyColumn, key] = program.key
  const same = ([column, value]: SeenColumn) => isExactly(columnOf(table, column), value)
  const where = allOf([compareKey(columnOf(table, keyColumn), '=', key), ...program.seen.map(same)])
  switch (program.op) {
    case 'delete':
      return { text: `DELETE FROM ${quoteName(table.name)} WHERE ${where.text}`, values: where.values }
    case 'update': {
      const set = program.set.map(([column, to]) => assignment(table, columnOf(table, column), to))
      const changes = set.map(each => each.text).join(', ')
      return {
        text: `UPDATE ${quoteName(table.name)} SET ${changes} WHERE ${where.text}`,
        values: [...set.flatMap(each => each.values), ...where.values],
      }
    }
  }
}

function assignment(table: TableShape, column: Column, to: NewValue): Sql {
  const others = 'value' in to ? [] : to.orEarlier.map(other => columnOf(table, other))
  const written = writtenValue(
    column,
    to,
    others.map(({ name }) => ({ text: quoteName(name), values: [] })),
  )
  return { text: `${quoteName(column.name)} = ${written.text}`, values: written.values }
}

/** What a release writes into a column; `others` stands for the columns that may be earlier. */
function writtenValue(column: Column, to: NewValue, others: readonly Sql[]): Sql {
  if ('value' in to) return { text: '?', values: [to.value] }
  const back = to.inEveryZone ? ` - INTERVAL ${WIDEST_ZONE_HOURS} HOUR` : ''
  // Cut to the column's own precision: MySQL would round a finer time up, into the future.
  const time = asTime(column, to.readAt.slice(0, column.precision === 0 ? 19 : 20 + column.precision))
  const past: Sql = { text: `${time.text}${back}`, values: time.values }
  if (others.length === 0) return past
  const all = [...others, past]
  return {
    text: `LEAST(${all.map(each => each.text).join(', ')})`,
    values: all.flatMap(each => each.values),
  }
}

function asTime({ precision }: Column, value: Value): Sql {
  return { text: `CAST(? AS DATETIME(${precision}))`, values: [value] }
}

/**
 * The statement that takes a release back. A deleted row is inserted, which its unique key allows only while the name is
 * free. An update is turned back if the row is still exactly what the release left.
 */
export function restoreStatement(program: MysqlProgram, raw: MysqlRaw): Sql {
  const { table } = program
  const seen = (column: string): Value => raw.row[column] ?? null
  switch (program.op) {
    case 'delete': {
      const columns = [...table.columns].filter(([, { generated }]) => !generated)
      const names = columns.map(([, { name }]) => quoteName(name))
      const marks = columns.map(([, { binary }]) => (binary ? 'UNHEX(?)' : '?'))
      return {
        text: `INSERT INTO ${quoteName(table.name)} (${names.join(', ')}) VALUES (${marks.join(', ')})`,
        values: columns.map(([column]) => bound(seen(column))),
      }
    }
    case 'update': {
      const [keyColumn, key] = program.key
      const changed = new Map(program.set)
      const same = program.seen
        .filter(([column]) => !changed.has(column))
        .map(([column, value]) => isExactly(columnOf(table, column), value))
      const asLeft = program.set.map(([name, to]) => {
        const column = columnOf(table, name)
        const others = 'value' in to ? [] : to.orEarlier.map(other => asTime(column, seen(other)))
        const written = writtenValue(column, to, others)
        return { text: `${quoteName(column.name)} <=> ${written.text}`, values: written.values }
      })
      const set = program.set.map(([name]) => columnOf(table, name))
      const where = allOf([compareKey(columnOf(table, keyColumn), '=', key), ...same, ...asLeft])
      return {
        text: `UPDATE ${quoteName(table.name)} SET ${set
          .map(({ name, binary }) => `${quoteName(name)} = ${binary ? 'UNHEX(?)' : '?'}`)
          .join(', ')} WHERE ${where.text}`,
        values: [...set.map(({ name }) => bound(seen(name.toLowerCase()))), ...where.values],
      }
    }
  }
}

/** The statement with its values in place, for people to read; never sent. */
export function showSql(sql: Sql): string {
  return fillIn(sql, shownLiteral)
}

/** The statement with its values in place, for a client to send: nothing is left out, whatever its SQL mode. */
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

/** What a backslash means depends on the SQL mode, and some clients read it too: beyond plain text, bytes in hexadecimal. */
function exactLiteral(value: Value): string {
  if (value === null) return 'NULL'
  const bytes = Buffer.from(value as string)
  const text = bytes.toString('latin1')
  return /^[\w .:,;@+=/()[\]{}<>*#%&|!?~^$-]*$/.test(text)
    ? `'${text}'`
    : `_utf8mb4 0x${bytes.toString('hex')}`
}
