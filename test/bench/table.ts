type Row = Readonly<Record<string, string | number>>

const results: Row[] = []

/** Remembers one line of the table that `printResults` shows at the end of the file. */
export function record(row: Row): void {
  results.push(row)
}

export function printResults(title: string): void {
  console.log(title)
  console.table(results)
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)}x`
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** Whole milliseconds where they say enough, and microseconds' worth of digits below ten. */
export function millis(ms: number): string {
  return `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`
}
