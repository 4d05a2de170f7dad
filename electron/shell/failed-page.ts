import { plainPage } from '../hosts/http/static-files.ts'
import { HOME, ORIGIN } from './channel.ts'

export const FAILED_PATH = '/failed'

const WORDS = {
  load: 'The page of the console could not be loaded.',
  crashed: 'The page of the console has crashed.',
  memory: 'The page of the console ran out of memory.',
  preload: 'The page of the console could not be joined to the program.',
} as const
export type Failing = keyof typeof WORDS

/** Shown instead of a blank window. Only known words: what an address says is never shown. */
export function failedPage(query: URLSearchParams): string {
  const why = query.get('why') ?? ''
  const words = Object.hasOwn(WORDS, why) ? WORDS[why as Failing] : WORDS.load
  return plainPage(
    'The console is not shown',
    `${words} No lock was changed by this. What was being released is in the audit log.`,
  )
}

export function failedUrl(why: Failing): string {
  return `${ORIGIN}${FAILED_PATH}?why=${why}`
}

/** Where a page may lead by itself: to the console, and nowhere else. */
export function mayNavigate(url: string): boolean {
  return url === HOME
}
