import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findServer } from './find-server.mjs'

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Where scripts/ensure-prometheus.mjs puts the programs of Prometheus. */
export const TEST_PROMETHEUS = join(MODULES, '.cache', 'lockkeeper', 'prometheus')

/**
 * A program of Prometheus, or null.
 * @param {'promtool' | 'prometheus'} program
 * @returns {string | null}
 */
export function findPrometheus(program) {
  const unpacked = join(TEST_PROMETHEUS, program)
  return findServer(program) ?? (existsSync(unpacked) ? unpacked : null)
}
