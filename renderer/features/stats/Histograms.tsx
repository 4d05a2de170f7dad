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
  /** What is said when it has nothing. */
  readonly empty: string
  /** What those are that have no place in it. */
  readonly unmeasured: string
}

/** How many are below each time and not below the one before. */
export function HistogramChart({ name, title, histogram, empty, unmeasured }: Props) {
  const buckets = bucketsOf(histogram)
  const most = Math.max(1, ...histogram.counts)
  const filled = buckets.filter(({ count }) => count > 0)
  const said = filled.map(({ label, count }) => t.stats.valueOf(label, t.number(count)))
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
            {filled.length === 0 && histogram.unknown === 0 ? empty : null}
            {histogram.unknown > 0 ? t.stats.valueOf(unmeasured, t.number(histogram.unknown)) : null}
          </p>
        </div>
      }
      table={
        <NumberTable
          caption={title}
          head={[t.stats.bucket, t.stats.locks]}
          rows={[
            ...buckets.map(({ label, count }) => ({ id: label, cells: [label, t.number(count)] })),
            ...(histogram.unknown > 0
              ? [{ id: 'unknown', cells: [unmeasured, t.number(histogram.unknown)] }]
              : []),
          ]}
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
