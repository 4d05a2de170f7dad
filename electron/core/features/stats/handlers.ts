import type { HandlersOf } from '../../lib/handler.ts'
import type { StatsService } from './stats.ts'

export function statsHandlers(stats: StatsService): HandlersOf<'stats'> {
  return {
    'stats.read': (query, { signal }) => stats.read(query, signal),
    'stats.history': query => stats.history(query),
    'stats.groups': query => stats.groups(query),
    'stats.tenures': query => stats.tenures(query),
    'stats.keys': query => stats.keys(query),
  }
}
