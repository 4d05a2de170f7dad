import type { Failure } from '../../../shared/result.ts'
import type { SwitchRun } from '../../../shared/switch.ts'
import { client } from '../../state/console.ts'
import { saveFile } from '../../ui/save-file.ts'
import { t } from '../../words/words.ts'

export const REPORT_TYPES = { md: 'text/markdown', html: 'text/html', json: 'application/json' } as const
export type SwitchReportFormat = keyof typeof REPORT_TYPES

/** Of letters and digits alone, by when the switch began. */
export function switchReportName({ begunAt }: SwitchRun, as: SwitchReportFormat): string {
  const at = new Date(begunAt).toISOString().slice(0, 16).replaceAll(/[-:]/g, '').replace('T', '-')
  return `lockkeeper-switch-${at}.${as}`
}

/** Half a report is not saved. */
export function saveSwitchReport(run: SwitchRun, as: SwitchReportFormat): Promise<Failure | null> {
  const pieces: string[] = []
  return new Promise(resolve => {
    try {
      client.open(
        'switch.report',
        { switchId: run.switchId, as },
        ({ text }) => pieces.push(text),
        result => {
          if (result.ok) saveFile(switchReportName(run, as), pieces, REPORT_TYPES[as])
          resolve(result.ok ? null : result.error)
        },
      )
    } catch {
      resolve({ code: 'ABORTED', message: t.status.lost })
    }
  })
}
