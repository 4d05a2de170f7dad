import { plainPage } from '../hosts/http/static-files.ts'
import { HOME, ORIGIN } from './channel.ts'

export const FAILED_PATH = '/failed'

const WORDS = {
  load: 'The console page could not be loaded.',
  crashed: 'The console page crashed.',
  memory: 'The console page ran out of memory.',
  preload: 'The console page could not be connected to the program.',
} as const
export type Failing = keyof typeof WORDS

/** Shown instead of a blank window. The words are ours: nothing of the address is repeated. */
export function failedPage(query: URLSearchParams): string {
  const why = query.get('why') ?? ''
  const words = Object.hasOwn(WORDS, why) ? WORDS[why as Failing] : WORDS.load
  return plainPage(
    'The console cannot be shown',
    `${words} This changed no lock. The audit log has every release that was under way.`,
  )
}

export function failedUrl(why: Failing): string {
  return `${ORIGIN}${FAILED_PATH}?why=${why}`
}

/** A page may navigate to the console only. */
export function mayNavigate(url: string): boolean {
  return url === HOME
}
