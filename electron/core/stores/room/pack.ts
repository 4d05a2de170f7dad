/**
 * The shape of plain data: null for a single value, the keys of an object or the length of an array. Records of one format have the
 * same few shapes, and in most of their fields the same value throughout a page, so a page is sent as columns: the copy of a thousand
 * small objects would cost both threads several times as much.
 */
type Shape =
  | null
  | { readonly items: readonly Shape[] }
  | { readonly keys: readonly string[]; readonly values: readonly Shape[] }

/** One value of each item with a shape: the same for all, or null for the values of the column before. */
type Column = { readonly same: unknown } | { readonly each: readonly unknown[] } | null

/** The items with one shape; `columns` has the values of an item in the order of its shape. */
type Group = { readonly shape: Shape; readonly columns: readonly Column[] }

/** `uses[i]` is the place of the group of item i. */
export type Packed = { readonly groups: readonly Group[]; readonly uses: readonly number[] }

/** Shapes that are tried for an item, the latest first. More would cost more than another shape. */
const TRIED = 4

export function pack(items: readonly unknown[]): Packed {
  const groups: { readonly shape: Shape; readonly rows: unknown[][] }[] = []
  const uses = items.map(item => {
    for (let i = groups.length - 1; i >= Math.max(0, groups.length - TRIED); i--) {
      const { shape, rows } = groups[i] as (typeof groups)[number]
      const row: unknown[] = []
      if (flatten(item, shape, row)) {
        rows.push(row)
        return i
      }
    }
    const shape = shapeOf(item)
    const row: unknown[] = []
    flatten(item, shape, row)
    return groups.push({ shape, rows: [row] }) - 1
  })
  return { groups: groups.map(({ shape, rows }) => ({ shape, columns: columnsOf(rows) })), uses }
}

function columnsOf(rows: readonly (readonly unknown[])[]): Column[] {
  const first = rows[0] as readonly unknown[]
  return first.map((same, i): Column => {
    if (rows.every(row => Object.is(row[i], same))) return { same }
    if (i > 0 && rows.every(row => Object.is(row[i], row[i - 1]))) return null
    return { each: rows.map(row => row[i]) }
  })
}

/** Makes a value of one item of a group. */
type Make = (item: number) => unknown
/** A value that is the same in all items is made once; `first` is that of the first item. */
type Recipe = { readonly first: unknown; readonly make: Make | null }

export function unpack<T>({ groups, uses }: Packed): T[] {
  const recipes = groups.map(recipeOf)
  const made = groups.map(() => 0)
  return uses.map(use => {
    const { first, make } = recipes[use] as Recipe
    const item = made[use] as number
    made[use] = item + 1
    return (make === null ? first : make(item)) as T
  })
}

function recipeOf({ shape, columns }: Group): Recipe {
  let next = 0
  let before: Recipe = { first: undefined, make: null }
  const cook = (shape: Shape): Recipe => {
    if (shape !== null)
      return 'items' in shape ? arrayOf(shape.items.map(cook)) : objectOf(shape.keys, shape.values.map(cook))
    const column = columns[next++] ?? null
    if (column !== null)
      before =
        'same' in column
          ? { first: column.same, make: null }
          : { first: column.each[0], make: item => column.each[item] }
    return before
  }
  return cook(shape)
}

function arrayOf(parts: readonly Recipe[]): Recipe {
  const first = parts.map(part => part.first)
  if (parts.every(part => part.make === null)) return { first: Object.freeze(first), make: null }
  return { first, make: item => parts.map(part => (part.make === null ? part.first : part.make(item))) }
}

function objectOf(keys: readonly string[], parts: readonly Recipe[]): Recipe {
  const first: Record<string, unknown> = {}
  for (const [i, key] of keys.entries()) set(first, key, parts[i]?.first)
  const own = keys.flatMap((key, i) => (parts[i]?.make ? [{ key, make: parts[i].make }] : []))
  if (own.length === 0) return { first: Object.freeze(first), make: null }
  return {
    first,
    make: item => {
      // A copy of an object is cheaper than making one of the same shape.
      const out = { ...first }
      for (const { key, make } of own) set(out, key, make(item))
      return out
    },
  }
}

/** The names of fields are a store's: an assignment would set the prototype. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { ...OWN, value })
  else object[key] = value
}

const OWN = { enumerable: true, configurable: true, writable: true }

function shapeOf(value: unknown): Shape {
  if (!isObject(value)) return null
  if (Array.isArray(value)) return { items: value.map(shapeOf) }
  return { keys: Object.keys(value), values: Object.values(value).map(shapeOf) }
}

/** Appends the values of an item, if it has the shape. Called for every value of a page, so without closures. */
function flatten(value: unknown, shape: Shape, out: unknown[]): boolean {
  if (shape === null) return !isObject(value) && out.push(value) > 0
  if (!isObject(value)) return false
  if ('items' in shape) {
    const { items } = shape
    if (!Array.isArray(value) || value.length !== items.length) return false
    for (let i = 0; i < items.length; i++) if (!flatten(value[i], items[i] as Shape, out)) return false
    return true
  }
  if (Array.isArray(value)) return false
  const { keys, values } = shape
  let i = 0
  for (const key in value) {
    if (keys[i] !== key || !flatten(value[key], values[i] as Shape, out)) return false
    i++
  }
  return i === keys.length
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
