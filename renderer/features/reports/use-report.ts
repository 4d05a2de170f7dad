import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReportEvent, ReportRequest } from '../../../shared/reports.ts'
import type { Failure, Result } from '../../../shared/result.ts'
import { client } from '../../state/console.ts'
import { t } from '../../words/words.ts'

export type Progress = { readonly done: number; readonly of: number | null }
export type WholeReport = Omit<Extract<ReportEvent, { type: 'done' }>, 'type'> & {
  readonly parts: readonly BlobPart[]
}

export type Reading = {
  readonly running: boolean
  readonly progress: Progress | null
  readonly error: Failure | null
  readonly report: WholeReport | null
}

const IDLE: Reading = { running: false, progress: null, error: null, report: null }

/** One report at a time: a new one takes the place of the one before, and a dialog that closes ends it. */
export function useReport() {
  const [reading, setReading] = useState<Reading>(IDLE)
  const cancelling = useRef(() => {})

  const cancel = useCallback(() => {
    cancelling.current()
    cancelling.current = () => {}
    setReading(IDLE)
  }, [])

  const read = useCallback(async (request: ReportRequest): Promise<WholeReport | null> => {
    cancelling.current()
    let isWanted = true
    setReading({ ...IDLE, running: true })
    const { result, cancel: stop } = readReport(
      request,
      progress => isWanted && setReading(was => ({ ...was, progress })),
    )
    cancelling.current = () => {
      isWanted = false
      stop()
    }
    const answer = await result
    if (!isWanted) return null
    setReading({
      ...IDLE,
      ...(answer.ok ? { report: answer.value } : { error: answer.error }),
    })
    return answer.ok ? answer.value : null
  }, [])

  useEffect(() => () => cancelling.current(), [])
  return { ...reading, read, cancel }
}

/** Reads a report to its end. A report that broke off is a failure. */
function readReport(
  request: ReportRequest,
  onProgress: (progress: Progress) => void,
): { readonly result: Promise<Result<WholeReport>>; readonly cancel: () => void } {
  const parts: BlobPart[] = []
  let whole: WholeReport | null = null
  let cancel = () => {}
  const result = new Promise<Result<WholeReport>>(resolve => {
    const fail = (error: Failure) => resolve({ ok: false, error })
    const take = (event: ReportEvent) => {
      if (event.type === 'progress') onProgress(event)
      else if (event.type === 'piece')
        parts.push(event.encoding === 'text' ? event.text : bytesOf(event.text))
      else {
        const { type: _, ...rest } = event
        whole = { ...rest, parts }
      }
    }
    try {
      cancel = client.open('reports.write', request, take, ended => {
        if (!ended.ok) fail(ended.error)
        else if (whole) resolve({ ok: true, value: whole })
        else fail({ code: 'ABORTED', message: t.status.lost })
      })
    } catch {
      fail({ code: 'ABORTED', message: t.status.lost })
    }
  })
  return { result, cancel: () => cancel() }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), char => char.charCodeAt(0))
}
