import { sayNumber } from '../../../../shared/numbers.ts'
import type { Side, SideNow } from '../../../../shared/switch.ts'
import { PROVIDER_FACTS } from '../../../../shared/switch-providers.ts'
import type { Block, Cell } from '../reports/block.ts'
import { iso } from '../reports/iso.ts'
import { sayTime } from '../reports/words.ts'

/** What the report of a switch is put together from. */

export function heading(title: string): Block {
  return { is: 'heading', text: title, level: 2 }
}

export function text(said: string, quiet = false): Block {
  return { is: 'text', text: said, ...(quiet ? { quiet } : {}) }
}

export function notice(tone: 'danger' | 'warn', said: string): Block {
  return { is: 'notice', tone, text: said }
}

export function sideCell({ storeName, kind, address }: Side): Cell {
  return { text: `${storeName}, ${PROVIDER_FACTS[kind].name} at ${address}` }
}

export function numberCell(n: SideNow['held']): Cell {
  return n === null ? { text: 'not known', tone: 'quiet' } : { text: sayNumber(n), as: 'number' }
}

export function holderCell(holder: string | null): Cell {
  return holder === null ? { text: 'not recorded', tone: 'quiet' } : { text: holder, as: 'code' }
}

export function when(at: number): string {
  return sayTime(iso(at))
}
