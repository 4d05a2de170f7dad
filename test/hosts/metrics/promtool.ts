import { spawnSync } from 'node:child_process'
import { findPrometheus } from '../../servers/find-prometheus.mjs'

/** Runs promtool; what it finds fault with is in `said`. */
export function promtool(args: readonly string[], input = ''): { ok: boolean; said: string } {
  const program = findPrometheus('promtool')
  if (program === null) throw new Error('promtool is not there; npm test gets it')
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' })
  return { ok: status === 0, said: `${stdout}${stderr}`.trim() }
}
