import { en, type Words } from './en.ts'

/** The words of the screen. One language so far; another one is another file of this shape, chosen here. */
export const t: Words = en
