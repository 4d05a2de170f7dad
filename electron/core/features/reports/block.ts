import type { ReportEnd, ReportHead, ReportLock } from '../../../../shared/report-document.ts'

/**
 * The content of a document before it is Markdown or HTML. Any text in a block may come from a store or from a person: a writer
 * escapes all of them.
 */

export type Tone = 'danger' | 'warn' | 'endless' | 'live' | 'quiet'

/** `code` is a name or a value as a store has it; `number` is set to the right; a `time` breaks between day and clock only. */
export type Cell = {
  readonly text: string
  readonly as?: 'code' | 'number' | 'time'
  readonly tone?: Tone | undefined
}

/** `unit`: what the numbers count. */
type ChartOf<Kind> = { readonly is: Kind; readonly title: string; readonly unit: string }

export type LineChart = ChartOf<'lines' | 'areas'> & {
  /** Epoch milliseconds. */
  readonly from: number
  readonly stepMs: number
  readonly series: readonly {
    readonly name: string
    readonly style: string
    readonly values: readonly (number | null)[]
  }[]
}

export type BarChart = ChartOf<'bars'> & {
  readonly bars: readonly { readonly name: string; readonly value: number }[]
}

export type Chart = LineChart | BarChart

/** `isPart`: only a part of the stores could be counted, so the tile says "at least". */
export type Tile = {
  readonly name: string
  readonly value: string
  readonly isPart?: boolean
  readonly tone?: Tone
}

export type Block =
  | { readonly is: 'title'; readonly text: string; readonly under: string }
  | { readonly is: 'heading'; readonly text: string }
  | { readonly is: 'text'; readonly text: string; readonly quiet?: boolean }
  | { readonly is: 'notice'; readonly text: string; readonly tone: Tone }
  | { readonly is: 'tiles'; readonly tiles: readonly Tile[] }
  | { readonly is: 'facts'; readonly facts: readonly Fact[] }
  | {
      readonly is: 'table'
      readonly name: string
      readonly columns: readonly Column[]
      readonly rows: readonly (readonly Cell[])[]
    }
  | { readonly is: 'charts'; readonly charts: readonly Chart[] }
  /** Short blocks that fit side by side. */
  | { readonly is: 'beside'; readonly blocks: readonly Block[] }
  | ({ readonly is: 'entry' } & Entry)

export type Fact = readonly [string, Cell]

/** An item with its tags, sentences and list. */
export type Entry = {
  readonly key: string
  /** The key is our own title, not a name from a store. */
  readonly isOurs?: boolean
  readonly tags: readonly Cell[]
  readonly texts: readonly string[]
  readonly list: readonly string[]
}

export function heading(text: string): Block {
  return { is: 'heading', text }
}

export function text(said: string, quiet = false): Block {
  return { is: 'text', text: said, quiet }
}

export function notice(tone: 'danger' | 'warn', said: string): Block {
  return { is: 'notice', tone, text: said }
}

export function entry(key: string, parts: Partial<Omit<Entry, 'key'>>): Block {
  return { is: 'entry', key, tags: [], texts: [], list: [], ...parts }
}

/** `share` is the column's part of the width, relative to the others. */
export type Column<Content = unknown> = readonly [
  title: string,
  share: number,
  content: Content,
  align?: 'right',
]

/** A column with its cell in a row. A plain text is a cell without style. */
export type ColumnOf<Row> = Column<(row: Row) => Cell | string>

export function table<Row>(name: string, rows: readonly Row[], columns: readonly ColumnOf<Row>[]): Block {
  return { is: 'table', name, columns, rows: rows.map(row => cellsOf(columns, row)) }
}

export function cellsOf<Row>(columns: readonly ColumnOf<Row>[], row: Row): Cell[] {
  return columns.map(([, , cellOf]) => {
    const cell = cellOf(row)
    return typeof cell === 'string' ? { text: cell } : cell
  })
}

export function code(value: string): Cell {
  return { text: value, as: 'code' }
}

export function quiet(said: string): Cell {
  return { text: said, tone: 'quiet' }
}

/** Turns a report into one format. Called in this order: `begin` once, `locks` for every page of locks, `end` once. */
export interface ReportWriter {
  begin(head: ReportHead): Iterable<string>
  locks(locks: readonly ReportLock[]): string
  end(end: ReportEnd): string
}
