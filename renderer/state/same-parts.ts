/** Keeps the objects of `before` that are equal in `after`, so that only readers of changed parts draw again. For plain data. */
export function sameParts<T>(before: T, after: T): T {
  if (Object.is(before, after)) return before
  if (!hasParts(before) || !hasParts(after) || Array.isArray(before) !== Array.isArray(after)) return after
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

function hasParts(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
