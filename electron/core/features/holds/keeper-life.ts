import { MINUTE_MS } from '../../../../shared/duration.ts'
import { lifeOf } from '../../files/process-mark.ts'
import type { KeptHold } from './kept-hold.ts'

/** A keeper on another machine, or one whose process cannot be told, that has said nothing for so long is given up. */
const SILENT_MS = MINUTE_MS

/** Whether somebody keeps the hold. */
export async function isAlive({ keeper, keptAt }: KeptHold, now: number): Promise<boolean> {
  if (keeper === null) return false
  const life = await lifeOf(keeper)
  return life === 'unknown' ? now - keptAt < SILENT_MS : life === 'alive'
}
