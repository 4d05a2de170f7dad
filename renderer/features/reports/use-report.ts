import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReportEvent, ReportRequest } from '../../../shared/reports.ts'
import type { Failure, Result } from '../../../shared/result.ts'
import { openOrEnd } from '../../state/stream.ts'
import { t } from '../../words/words.ts'

type EventOf<Type> = Extract<ReportEvent, { type: Type }>
type WholeReport = EventOf<'done'> & { readonly parts: readonly BlobPart[] }

const IDLE = {
  running: false,
  progress: null as EventOf<'progress'> | null,
  error: null as Failure | null,
  report: null as WholeReport | null,
}
export type Reading = Readonly<typeof IDLE>

/** One report at a time: a new report replaces the one before, and a dialog that closes ends it. */
export function useReport() {
  const [reading, setReading] = useState<Reading>(IDLE)
  const latest = useRef(new AbortController())

  const cancel = useCallback(() => {
    latest.current.abort()
    setReading(IDLE)
  }, [])

  const read = useCallback(async (request: ReportRequest): Promise<WholeReport | null> => {
    latest.current.abort()
    latest.current = new AbortController()
    const { signal } = latest.current
    setReading({ ...IDLE, running: true })
    const onProgress = (progress: EventOf<'progress'>) => setReading(was => ({ ...was, progress }))
    const answer = await readReport(request, onProgress, signal)
    if (signal.aborted) return null
    setReading({ ...IDLE, ...(answer.ok ? { report: answer.value } : { error: answer.error }) })
    return answer.ok ? answer.value : null
  }, [])

  useEffect(() => () => latest.current.abort(), [])
  return { ...reading, read, cancel }
}

/** Reads a report to its end; an incomplete report is a failure. An aborted one never resolves. */
function readReport(
  request: ReportRequest,
  onProgress: (progress: EventOf<'progress'>) => void,
  signal: AbortSignal,
): Promise<Result<WholeReport>> {
  const parts: BlobPart[] = []
  let whole: WholeReport | null = null
  const take = (event: ReportEvent) => {
    if (event.type === 'progress') onProgress(event)
    else if (event.type === 'piece') parts.push(event.encoding === 'text' ? event.text : bytesOf(event.text))
    else whole = { ...event, parts }
  }
  return new Promise(resolve => {
    const close = openOrEnd('reports.write', request, take, ended => {
      if (!ended.ok) resolve(ended)
      else if (whole) resolve({ ok: true, value: whole })
      else resolve({ ok: false, error: { code: 'ABORTED', message: t.status.lost } })
    })
    signal.addEventListener('abort', close)
  })
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), char => char.charCodeAt(0))
}
