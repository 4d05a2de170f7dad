import type { ErrorCode, Failure, Result } from '../../../../shared/result.ts'

export const EXIT = {
  done: 0,
  other: 1,
  usage: 2,
  changed: 3,
  gone: 4,
  unreachable: 5,
  denied: 6,
  partly: 7,
} as const

const BY_CODE: Partial<Record<ErrorCode, number>> = {
  BAD_INPUT: EXIT.usage,
  NOT_FOUND: EXIT.gone,
  STORE_UNREACHABLE: EXIT.unreachable,
  STORE_DENIED: EXIT.denied,
  REFUSED: EXIT.denied,
}

export function exitCodeOf(failure: Failure): number {
  return BY_CODE[failure.code] ?? EXIT.other
}

/** A failure on its way to the one place that prints it. */
export class CliError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

export function usageError(message: string): CliError {
  return new CliError({ code: 'BAD_INPUT', message })
}

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new CliError(result.error)
  return result.value
}

/** Why a server could not be started, where that is about its port. */
export function cannotListen(error: unknown, port: number | undefined): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new CliError({
        code: 'INTERNAL',
        message: `Port ${port} is taken; --port 0 takes any that is free`,
      })
    case 'EACCES':
      return new CliError({
        code: 'INTERNAL',
        message: `Port ${port} may not be used by this account; --port 0 takes any that is free`,
      })
    default:
      return error
  }
}
