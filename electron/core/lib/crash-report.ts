import { neutralise } from '../../../shared/safe-text.ts'
import { sentenceFor } from './errors.ts'

/** A place in the code, as V8 writes it. */
const FRAME = /^ {4}at .{1,300}$/
const MOST_FRAMES = 10

/**
 * Prints unexpected errors that nothing caught, and calls `end`. Node and Electron would print or show what they say, and the
 * requests that libraries attach to them: both may have secrets.
 */
export function reportCrashes(end: () => void): void {
  // Also for rejected promises, which Electron would only warn of.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, error => {
      process.stderr.write(`lockkeeper: ${crashReport(error)}\n`)
      end()
    })
}

/** The kind of an error and the code that threw it. */
export function crashReport(error: unknown): string {
  return [sentenceFor(error), ...framesOf(error).slice(0, MOST_FRAMES).map(neutralise)].join('\n')
}

/** A message comes before the frames, may have lines like theirs, and may have been changed since. */
function framesOf(error: unknown): string[] {
  const { stack, message } = (error ?? {}) as { readonly stack?: unknown; readonly message?: unknown }
  if (typeof stack !== 'string' || typeof message !== 'string' || !stack.includes(message)) return []
  return stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .filter(line => FRAME.test(line))
}
