import { TIME_EDGES } from '../../../shared/stats.ts'
import type { MetricsReader } from '../../core/features/metrics/metrics-reader.ts'
import { METRICS } from './catalogue.ts'

type MetricName = keyof typeof METRICS
const HOLDS = 'lockkeeper_hold_duration_seconds'

/** The metrics as Prometheus reads them. Each exposition has its own registry, so two in one process are independent. */
export async function createExposition(options: {
  readonly metrics: MetricsReader
  readonly version: string
  /** How many locks of each store to list. */
  readonly keys: number
}) {
  const { metrics, version, keys } = options
  // Loaded on demand, because it doubles the start time of a short command.
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const configOf = (name: MetricName) => {
    const { help, labels } = METRICS[name]
    return { name, help, labelNames: [...labels], registers: [registry] }
  }
  const written = (Object.keys(METRICS) as MetricName[])
    .filter(name => name !== HOLDS)
    .map(name => ({
      name,
      metric: METRICS[name].type === 'gauge' ? new Gauge(configOf(name)) : new Counter(configOf(name)),
    }))
  const holds = new Histogram({
    ...configOf(HOLDS),
    buckets: TIME_EDGES.map(ms => ms / 1000),
  })
  /** The stores that have a histogram. */
  const measured = new Map<string, { readonly store: string; readonly kind: string }>()
  const measure = ({ name, kind }: { name: string; kind: string }) => {
    const labels = { store: name, kind }
    const id = `${kind} ${name}`
    if (!measured.has(id)) holds.zero(labels)
    measured.set(id, labels)
    return labels
  }
  metrics.listen((store, heldMs) => holds.observe(measure(store), heldMs / 1000))

  return {
    contentType: registry.contentType,
    text(): Promise<string> {
      // Synchronously, so that no other scrape comes between.
      const reading = { ...metrics.read(keys), version }
      // All series are set again, so that a store or lock that is gone has no series instead of its last value.
      for (const { name, metric } of written) {
        metric.reset()
        for (const [labels, value] of METRICS[name].samples(reading))
          if (metric instanceof Counter) metric.inc(labels, value)
          else metric.set(labels, value)
      }
      for (const [id, labels] of measured) {
        if (reading.stores.some(({ name, kind }) => name === labels.store && kind === labels.kind)) continue
        holds.remove(labels)
        measured.delete(id)
      }
      reading.stores.forEach(measure)
      return registry.metrics()
    },
  }
}
