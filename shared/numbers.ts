const numbers = new Intl.NumberFormat('en')
const plurals = new Intl.PluralRules('en')

/** `1,204` */
export function sayNumber(n: number): string {
  return numbers.format(n)
}

/** The count with its noun: `1 lock`, `1,204 locks`. */
export function plural(n: number, one: string, other: string): string {
  return `${numbers.format(n)} ${plurals.select(n) === 'one' ? one : other}`
}

/** `once`, `twice`, `1,204 times` */
export function sayTimes(n: number): string {
  if (n === 1) return 'once'
  return n === 2 ? 'twice' : `${numbers.format(n)} times`
}
