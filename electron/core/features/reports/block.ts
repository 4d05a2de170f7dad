/**
 * What a report consists of for somebody who reads it, before it is Markdown or HTML. Every text in it may be anybody's: a
 * format escapes all of them.
 */

export type Tone = 'danger' | 'warn' | 'endless' | 'live' | 'quiet'

/** `code` is a name or a value as a store has it; `number` is set to the right; a `time` breaks between day and clock only. */
export type Cell = {
  readonly text: string
  readonly as?: 'code' | 'number' | 'time'
  readonly tone?: Tone | undefined
}

/** `share` is how much of the width it gets beside the others. */
export type Column = { readonly title: string; readonly align?: 'right'; readonly share?: number }

export type LineChart = {
  readonly is: 'lines' | 'areas'
  readonly title: string
  /** What the numbers count. */
  readonly unit: string
  /** Epoch milliseconds. */
  readonly from: number
  readonly stepMs: number
  readonly series: readonly {
    readonly name: string
    readonly style: string
    readonly values: readonly (number | null)[]
  }[]
}

export type BarChart = {
  readonly is: 'bars'
  readonly title: string
  readonly unit: string
  readonly bars: readonly { readonly name: string; readonly value: number }[]
}

export type Chart = LineChart | BarChart

/** `isPart`: there may be more, which is said in small letters where there are any. */
export type Tile = {
  readonly name: string
  readonly value: string
  readonly isPart?: boolean
  readonly tone?: Tone
}

export type Block =
  | { readonly is: 'title'; readonly text: string; readonly under: string }
  | { readonly is: 'heading'; readonly text: string; readonly level: 2 | 3; readonly id?: string }
  | { readonly is: 'text'; readonly text: string; readonly quiet?: boolean }
  | { readonly is: 'notice'; readonly text: string; readonly tone: Tone }
  | { readonly is: 'tiles'; readonly tiles: readonly Tile[] }
  | { readonly is: 'facts'; readonly facts: readonly (readonly [string, Cell])[] }
  | {
      readonly is: 'table'
      readonly name: string
      readonly columns: readonly Column[]
      readonly rows: readonly (readonly Cell[])[]
    }
  | { readonly is: 'charts'; readonly charts: readonly Chart[] }
  /** Short ones that have room side by side. */
  | { readonly is: 'beside'; readonly blocks: readonly Block[] }
  /** One thing with its story. */
  | {
      readonly is: 'entry'
      readonly key: string
      /** The key is a title of ours, and not a name that somebody chose. */
      readonly isOurs?: boolean
      readonly tags: readonly Cell[]
      readonly texts: readonly string[]
      readonly list: readonly string[]
    }
