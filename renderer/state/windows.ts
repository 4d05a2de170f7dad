import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/duration.ts'

/** How far statistics and reports look back. */
export const WINDOW_MS = { '15m': 15 * MINUTE_MS, '1h': HOUR_MS, '6h': 6 * HOUR_MS, '24h': DAY_MS }
export type StatsWindow = keyof typeof WINDOW_MS
export const STATS_WINDOWS = Object.keys(WINDOW_MS) as StatsWindow[]
