/** What a page of metrics says: each sample by its name and labels, as Prometheus would read it. */
export type Sample = {
  readonly name: string
  readonly labels: Record<string, string>
  readonly value: number
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g

export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [, name = '', inside = '', value = ''] = LINE.exec(line) ?? []
      if (name === '') throw new Error(`This is no sample: ${line}`)
      const labels = [...inside.matchAll(LABEL)].map(([, label = '', quoted = '']) => [
        label,
        unquoted(quoted),
      ])
      return { name, labels: Object.fromEntries(labels), value: Number(value) }
    })
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char))
}

/** The values of one metric, by the value of one label. */
export function by(label: string, name: string, samples: readonly Sample[]): Record<string, number> {
  return Object.fromEntries(
    samples.filter(each => each.name === name).map(({ labels, value }) => [labels[label] ?? '', value]),
  )
}
