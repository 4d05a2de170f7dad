import { z } from 'zod'
import type { KindDescription } from './kinds.ts'

export const consoleInfoSchema = z.object({
  host: z.enum(['electron', 'web', 'cli']),
  version: z.string(),
  dataFolder: z.string(),
  /** Whether passwords outlast this run, and if not, why. */
  secrets: z.object({ durable: z.boolean(), reason: z.string().nullable() }),
  /** The kinds of store that this console can open. */
  kinds: z.array(z.custom<KindDescription>()),
})
export type ConsoleInfo = z.infer<typeof consoleInfoSchema>

export const consoleMethods = {
  'console.describe': { effect: 'read', input: z.strictObject({}), output: consoleInfoSchema },
} as const
