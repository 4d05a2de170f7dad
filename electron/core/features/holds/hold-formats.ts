import type { HoldChoices } from '../../../../shared/holds.ts'
import type { FormatInfo, Lock, StoreKind } from '../../../../shared/locks.ts'
import { ALL_FORMATS } from '../../stores/kinds/formats.ts'

/** The formats in which locks are taken here, and what their keys begin with. The last one of a store fits any key. */
const TAKEN: Readonly<Record<StoreKind, readonly (readonly [format: string, ...prefixes: string[]])[]>> = {
  redis: [
    ['recharge-json', 'lockRecharge:'],
    ['pipeline-run', 'pipeline_lock:'],
    ['pubsub-token', 'lock:'],
    ['flask-cache', 'cache::', 'flask_cache_'],
    ['token', ''],
  ],
  mysql: [['recharge-table', '']],
  dynamodb: [['conditional-put', '']],
  memory: [['tenant-pipeline', '']],
}

/** What a hold would do to programs of formats that are not taken here, where that is worth knowing. */
const HARM: Readonly<Record<string, string>> = {
  'python-redis-lock': 'its waiting processes would not be woken when the hold ends',
}

export function formatsOf(kind: StoreKind): HoldChoices['formats'] {
  return TAKEN[kind].map(([format, prefix = '']) => ({
    format,
    title: infoOf(format)?.title ?? format,
    prefix,
  }))
}

export type Fit =
  | { readonly format: string; readonly problem: null }
  | { readonly format: null; readonly problem: string }

/** In which format a lock under this key keeps out whoever uses the key. `known` is what is there, or was seen there last. */
export function formatFor(kind: StoreKind, key: string, known: Lock | null, pinned: string | null): Fit {
  const wanted = known?.format ?? pinned
  if (wanted === null) return { format: byPrefix(kind, key), problem: null }
  if (TAKEN[kind].some(([each]) => each === wanted)) return { format: wanted, problem: null }
  const harm = HARM[wanted] === undefined ? '' : `: ${HARM[wanted]}`
  return {
    format: null,
    problem: `Lockkeeper cannot take locks of the format ${infoOf(wanted)?.title ?? wanted}${harm}`,
  }
}

function byPrefix(kind: StoreKind, key: string): string {
  const fits = TAKEN[kind].find(([format, ...prefixes]) =>
    prefixes.some(prefix => {
      const name = key.startsWith(prefix) ? key.slice(prefix.length) : ''
      // A pipeline is one of a tenant.
      return name !== '' && (format !== 'pipeline-run' || /^[^:]+:./s.test(name))
    }),
  )
  return (fits ?? TAKEN[kind].at(-1))?.[0] as string
}

function infoOf(format: string): FormatInfo | undefined {
  return ALL_FORMATS.find(({ id }) => id === format)
}
