import { toFailure } from '../../lib/errors.ts'

/** Writes one entry about a decision, with more of what is known of it by now. */
export type Note = (more: Record<string, unknown>) => Promise<void>

/** What came of a decision is written too; that it could not be is no reason to call it undone. */
export async function settled<T>(note: Note, work: () => Promise<T>): Promise<T> {
  try {
    const value = await work()
    await note({ outcome: 'done' }).catch(() => {})
    return value
  } catch (error) {
    const { code, message } = toFailure(error)
    await note({ error: { code, message } }).catch(() => {})
    throw error
  }
}
