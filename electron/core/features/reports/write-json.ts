import { safeJson } from '../../../../shared/safe-text.ts'
import type { ReportWriter } from './writer.ts'

/** The document as it is, one lock a line; what could do harm on a terminal is escaped as JSON escapes it. */
export function jsonWriter(): ReportWriter {
  let isFirst = true
  return {
    *begin(head) {
      let separator = '{\n'
      for (const [name, value] of Object.entries(head)) {
        yield `${separator}${safeJson(name)}: ${safeJson(value, 1)}`
        separator = ',\n'
      }
      yield ',\n"locks": ['
    },
    locks: locks =>
      locks
        .map(lock => {
          const separator = isFirst ? '\n' : ',\n'
          isFirst = false
          return separator + safeJson(lock)
        })
        .join(''),
    end: end => `\n],\n"end": ${safeJson(end, 1)}\n}\n`,
  }
}
