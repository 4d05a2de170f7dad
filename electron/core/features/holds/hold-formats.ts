import type { HoldChoices } from '../../../../shared/holds.ts'
import type { Lock } from '../../../../shared/locks.ts'
import type { KindFormat } from '../../stores/kind.ts'
import { formatInfo, formatsOf } from '../../stores/kinds/kinds.ts'
import type { Take, Taken } from '../../stores/types.ts'

/** The formats in which Lockkeeper takes locks. The last one fits any key. */
function takenFormats(kind: string): Taken<KindFormat>[] {
  return formatsOf(kind).filter((format): format is Taken<KindFormat> => format.take !== undefined)
}

export function formatChoices(kind: string): HoldChoices['formats'] {
  return takenFormats(kind).map(({ info, take }) => ({
    format: info.id,
    title: info.title,
    prefix: take.prefixes[0] ?? '',
  }))
}

export type Fit =
  | { readonly format: string; readonly problem: null }
  | { readonly format: null; readonly problem: string }

/** The format in which a lock under this key keeps its programs out. `known` is the lock that is or last was there. */
export function formatFor(kind: string, key: string, known: Lock | null, pinned: string | null): Fit {
  const taken = takenFormats(kind)
  const wanted = known?.format ?? pinned
  const format =
    wanted === null
      ? (taken.find(({ take }) => fits(take, key)) ?? taken.at(-1))
      : taken.find(({ info }) => info.id === wanted)
  if (format) return { format: format.info.id, problem: null }
  if (wanted === null) return { format: null, problem: 'Lockkeeper cannot take locks in this kind of store' }
  const { takeHarm } = formatsOf(kind).find(({ info }) => info.id === wanted) ?? {}
  const harm = takeHarm === undefined ? '' : `: ${takeHarm}`
  return {
    format: null,
    problem: `Lockkeeper cannot take locks of the format ${formatInfo(wanted)?.title ?? wanted}${harm}`,
  }
}

function fits({ prefixes, name }: Take, key: string): boolean {
  const shape = name?.shape ?? /./s
  return prefixes.some(prefix => key.startsWith(prefix) && shape.test(key.slice(prefix.length)))
}
