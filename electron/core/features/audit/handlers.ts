import type { HandlersOf } from '../../lib/handler.ts'
import type { AuditBook } from './log.ts'

export function auditHandlers(audit: AuditBook): HandlersOf<'audit'> {
  return {
    'audit.list': (query, { signal }) => audit.read(query, signal),
    'audit.verify': (_, { signal }) => audit.verify(signal),
  }
}
