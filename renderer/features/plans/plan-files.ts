import type { PlanSummary } from '../../../shared/plans.ts'
import { ask } from '../../state/console.ts'
import { makePlan, sayNoPlan } from '../../state/plan.ts'
import { readText } from '../../state/stream.ts'
import { saveFile } from '../../ui/save-file.ts'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { planFileName } from './plan-export.ts'

/** Fits into one frame of every transport, with room for JSON escapes. */
const LARGEST = 48_000_000

/** Saves the plan file as core keeps it. An incomplete file is not saved; the answer says why. */
export async function savePlanFile(plan: PlanSummary): Promise<string> {
  const file = await readText('plans.file', { planId: plan.planId })
  if (!file.ok) return sentence(file.error.message)
  saveFile(planFileName(plan, 'jsonl'), file.value, 'application/x-ndjson')
  return ''
}

/** Opens a plan file that the operator chooses. Opening changes nothing. */
export function choosePlanFile(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.plan,.jsonl,.json'
  input.addEventListener('change', () => {
    const file = input.files?.[0]
    if (file) openPlanFile(file)
  })
  input.click()
}

function openPlanFile(file: Blob): void {
  const { fileTitle, reading, tooLarge, unreadable } = t.plans.making
  if (file.size > LARGEST) {
    sayNoPlan(fileTitle, tooLarge)
    return
  }
  const read = async () => {
    const text = await file.text().catch(() => null)
    if (text !== null) return ask('plans.import', { text })
    return { ok: false, error: { code: 'BAD_INPUT', message: unreadable } } as const
  }
  void makePlan(fileTitle, reading, read, { isNew: false })
}
