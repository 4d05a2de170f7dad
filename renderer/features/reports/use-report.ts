import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReportRequest } from '../../../shared/reports.ts'
import type { Failure } from '../../../shared/result.ts'
import { type Progress, readReport, type WholeReport } from './read-report.ts'

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
