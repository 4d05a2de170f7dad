/**
 * What was told again as it was stays the very same object, so that only what looks at something that changed is drawn anew.
 * For plain data, as it comes over the wire.
 */
export function sameParts<T>(before: T, after: T): T {
  if (Object.is(before, after)) return before
  if (!isParted(before) || !isParted(after) || Array.isArray(before) !== Array.isArray(after)) return after
  const old = before as Readonly<Record<string, unknown>>
  const names = Object.keys(after)
  const parts = names.map(name => sameParts(old[name], (after as Record<string, unknown>)[name]))
  const isSame =
    names.length === Object.keys(before).length &&
    names.every((name, i) => Object.hasOwn(before, name) && Object.is(parts[i], old[name]))
  if (isSame) return before
  if (Array.isArray(after)) return parts as T
  return Object.fromEntries(names.map((name, i) => [name, parts[i]])) as T
}

function isParted(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
