import { orUncertain, orUnreadable } from '../stores/bad-answer.ts'
import type { Provider } from './provider.ts'

/** A provider that throws StoreError and nothing else, whatever its server answers. `server` names it in the sentence. */
export function withReadableAnswers<P extends Provider>(server: string, provider: P): P {
  const reading = <A extends unknown[], T>(what: string, work: (...asked: A) => Promise<T>) =>
    failingAs(work, error => orUnreadable(error, server, what))
  const changing = <A extends unknown[], T>(change: string, work: (...asked: A) => Promise<T>) =>
    failingAs(work, error => orUncertain(error, server, change))
  return {
    ...provider,
    setup: reading('whether it can hold locks', provider.setup),
    take: changing('the acquisition', provider.take),
    extend: changing('the renewal', provider.extend),
    release: changing('the release', provider.release),
    read: reading('a lock', provider.read),
    listen: provider.listen && reading('a subscription', provider.listen),
  }
}

function failingAs<A extends unknown[], T>(
  work: (...asked: A) => Promise<T>,
  failure: (error: unknown) => Error,
) {
  return async (...asked: A): Promise<T> => {
    try {
      return await work(...asked)
    } catch (error) {
      throw failure(error)
    }
  }
}
