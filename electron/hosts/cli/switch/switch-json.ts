import { isoTime } from '../../../../shared/lease.ts'
import type { SwitchRun } from '../../../../shared/switch.ts'

/** A switch as the command line prints it in JSON: times in ISO 8601. */
export function switchJson(run: SwitchRun): Record<string, unknown> {
  const { storeId: _, ...from } = run.from
  const { storeId: __, ...to } = run.to
  return {
    ...run,
    ...{ from, to },
    begunAt: isoTime(run.begunAt),
    passed: run.passed.map(dated),
    wentBack: run.wentBack.map(dated),
    envChanges: run.envChanges.map(dated),
    strays: run.strays.map(dated),
    splits: run.splits.map(split => ({ ...split, since: isoTime(split.since), until: isoTime(split.until) })),
    ended: endJson(run),
  }
}

export function endJson({ ended }: SwitchRun): Record<string, unknown> | null {
  return ended && dated(ended)
}

function dated<T extends { readonly at: number }>(what: T): Omit<T, 'at'> & { readonly at: string | null } {
  return { ...what, at: isoTime(what.at) }
}
