import { z } from 'zod'
import type { KindDescription } from './kinds.ts'

export type ConsoleInfo = {
  host: 'electron' | 'web' | 'cli'
  version: string
  dataFolder: string
  /** Whether passwords outlast this run, and if not, why. */
  secrets: { durable: boolean; reason: string | null }
  /** The kinds of store that this console can open. */
  kinds: KindDescription[]
}

export const consoleMethods = {
  'console.describe': { effect: 'read', input: z.strictObject({}), output: z.custom<ConsoleInfo>() },
} as const
