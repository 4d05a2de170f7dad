import type { Histogram } from '../../../shared/stats.ts'
import cardStyles from '../../ui/Card.module.css'
import { NumberTable } from '../../ui/NumberTable.tsx'
import { t } from '../../words/words.ts'
import { ChartFrame } from './ChartFrame.tsx'
import styles from './Stats.module.css'

type Props = {
  readonly name: string
  readonly title: string
  readonly histogram: Histogram
  readonly empty: string
  /** The name of those that could not be measured. */
  readonly unmeasured: string
}

export function HistogramChart({ name, title, histogram, empty, unmeasured }: Props) {
  const buckets = bucketsOf(histogram)
  const most = Math.max(1, ...histogram.counts)
  const filled = buckets.filter(({ count }) => count > 0)
  const said = filled.map(({ label, count }) => t.stats.valueOf(label, t.number(count)))
  const unknown = histogram.unknown > 0 ? [{ label: unmeasured, count: histogram.unknown }] : []
  return (
    <ChartFrame
      name={name}
      title={title}
      chart={
        <div>
          <div
            className={styles.histogram}
            role="img"
            aria-label={filled.length === 0 ? empty : t.stats.histogramSaid(title, said)}
          >
            {buckets.map(({ label, count }) => (
              <div key={label} className={styles.bucket} title={t.stats.valueOf(label, t.number(count))}>
                <span className={`${styles.bucketCount} number`}>
                  {count > 0 ? t.stats.axisValue(count) : ''}
                </span>
                <span className={styles.bucketBar} style={{ height: `${(count / most) * 72}px` }} />
                <span className={styles.bucketLabel}>{label}</span>
              </div>
            ))}
          </div>
          <p className={`${cardStyles.note} faint`}>
            {filled.length + unknown.length === 0 && empty}
            {unknown.map(({ label, count }) => t.stats.valueOf(label, t.number(count)))}
          </p>
        </div>
      }
      table={
        <NumberTable
          caption={title}
          head={[t.stats.bucket, t.stats.locks]}
          rows={[...buckets, ...unknown].map(({ label, count }) => ({
            id: label,
            cells: [label, t.number(count)],
          }))}
        />
      }
    />
  )
}

function bucketsOf({ edges, counts }: Histogram): { label: string; count: number }[] {
  return counts.map((count, i) => {
    const edge = edges[i]
    const label =
      edge === undefined
        ? t.stats.atLeast(t.stats.edge(edges.at(-1) ?? 0))
        : t.stats.below(t.stats.edge(edge))
    return { label, count }
  })
}
