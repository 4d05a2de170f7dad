import type { HandlersOf } from '../../lib/handler.ts'
import type { Reports } from './reports.ts'

export function reportHandlers(reports: Reports): HandlersOf<'reports'> {
  return { 'reports.write': (request, signal) => reports.write(request, signal) }
}
