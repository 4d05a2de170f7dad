import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlanSummary } from '../../../../shared/plans.ts'

type Known = { readonly mark: string; readonly summary: PlanSummary }

/** What was read of a file, for as long as the file stays what it is. */
const known = new Map<string, Known>()

/** The plans of a folder, each read once and again when it has changed. What is no plan is passed over. */
export async function listKept(
  folder: string,
  read: (path: string) => Promise<PlanSummary>,
): Promise<PlanSummary[]> {
  const summaries: PlanSummary[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/^[\w-]{1,64}\.plan$/.test(name)) continue
    const path = join(folder, name)
    const mark = await stat(path).then(
      ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
      () => null,
    )
    if (mark === null) continue
    let before = known.get(path)
    if (before?.mark !== mark) {
      const summary = await read(path).catch(() => null)
      if (summary === null) continue
      before = { mark, summary }
      known.set(path, before)
    }
    summaries.push(before.summary)
  }
  return summaries
}
