import type { ErrorCode } from '../../../../shared/error-codes.ts'
import type { Failure, Result } from '../../../../shared/result.ts'

export const EXIT = {
  done: 0,
  other: 1,
  usage: 2,
  changed: 3,
  gone: 4,
  unreachable: 5,
  denied: 6,
  partly: 7,
  timedOut: 8,
} as const

const BY_CODE: Partial<Record<ErrorCode, number>> = {
  BAD_INPUT: EXIT.usage,
  NOT_FOUND: EXIT.gone,
  STORE_UNREACHABLE: EXIT.unreachable,
  STORE_DENIED: EXIT.denied,
  REFUSED: EXIT.denied,
  TIMED_OUT: EXIT.timedOut,
}

export function exitCodeOf(failure: Failure): number {
  return BY_CODE[failure.code] ?? EXIT.other
}

/** A failure that runCli prints. */
export class CliError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

export function usageError(message: string): CliError {
  return new CliError({ code: 'BAD_INPUT', message })
}

const STOPPED = 'Stopped on request'

/** Ends a command that Ctrl-C stopped. */
export function stopped(message = STOPPED): CliError {
  return new CliError({ code: 'ABORTED', message })
}

/** Ends a command that its time limit stopped, with what Ctrl-C would have told. */
export function timedOut(limit: string, { message }: Failure): CliError {
  const told = message.replace(/^Stopped( on request)?/, '')
  return new CliError({ code: 'TIMED_OUT', message: `Not finished after ${limit}, and stopped${told}` })
}

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new CliError(result.error)
  return result.value
}

/** Explains an error that is about the port of a server; other errors are returned as they are. */
export function cannotListen(error: unknown, port: number | undefined): unknown {
  const causes: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use`,
    EACCES: `This account may not use port ${port}`,
  }
  const cause = causes[(error as NodeJS.ErrnoException).code ?? '']
  if (cause === undefined) return error
  return new CliError({ code: 'INTERNAL', message: `${cause}; --port 0 takes any free port` })
}
