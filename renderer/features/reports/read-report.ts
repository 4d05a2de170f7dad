import type { ReportEvent, ReportRequest } from '../../../shared/reports.ts'
import type { Failure, Result } from '../../../shared/result.ts'
import { client } from '../../state/console.ts'
import { t } from '../../words/words.ts'

export type Progress = { readonly done: number; readonly of: number | null }
export type WholeReport = Omit<Extract<ReportEvent, { type: 'done' }>, 'type'> & {
  readonly parts: readonly BlobPart[]
}

/** Reads a report to its end. Half of one is none: without its last word it is a failure. */
export function readReport(
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
