import { useState } from 'react'
import { useStore } from 'zustand'
import type { Failure } from '../../../shared/result.ts'
import type { SwitchRun } from '../../../shared/switch.ts'
import { consoleStore } from '../../state/console.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { t } from '../../words/words.ts'
import { type SwitchReportFormat, saveSwitchReport, switchReportName } from './save-switch-report.ts'

const FORMATS = ['html', 'md', 'json'] as const

export function SaveReport({ run }: { readonly run: SwitchRun }) {
  const [format, setFormat] = useState<SwitchReportFormat>('html')
  const [working, setWorking] = useState(false)
  const [saved, setSaved] = useState<string | null>(null)
  const [error, setError] = useState<Failure | null>(null)
  const isWindow = useStore(consoleStore, state => state.info?.host === 'electron')
  const words = t.switch.report
  const save = async () => {
    setWorking(true)
    setSaved(null)
    const failure = await saveSwitchReport(run, format)
    setWorking(false)
    setError(failure)
    if (!failure) setSaved(switchReportName(run, format))
  }
  return (
    <section className="card save-report" aria-label={words.title}>
      <header className="card-head">
        <h2>{words.title}</h2>
      </header>
      <p className="card-note muted">{words.text}</p>
      <div className="save-report-line">
        <Segments
          label={words.format}
          value={format}
          options={FORMATS.map(each => [each, words.formats[each]] as const)}
          onChange={setFormat}
        />
        <Button look="primary" disabled={working} onClick={() => void save()}>
          {working ? words.saving : words.save}
        </Button>
      </div>
      {saved !== null && (
        <p className="report-said" role="status">
          {(isWindow ? words.handedOver : words.saved)(saved)}
        </p>
      )}
      <ErrorNotice what={words.failed} error={error} />
    </section>
  )
}
