/**
 * The shape of plain data: null for a single value, the keys of an object or the length of an array. Records of one format have the
 * same few shapes, so a page is sent as its shapes and one flat list of values: the copy of a thousand small objects would cost
 * both threads twice as much.
 */
type Shape =
  | null
  | { readonly items: readonly Shape[] }
  | { readonly keys: readonly string[]; readonly values: readonly Shape[] }

/** `uses[i]` is the place of the shape of item i. */
export type Packed = {
  readonly shapes: readonly Shape[]
  readonly uses: readonly number[]
  readonly values: readonly unknown[]
}

/** Shapes that are tried for an item, the latest first. More would cost more than another shape. */
const TRIED = 4

export function pack(items: readonly unknown[]): Packed {
  const shapes: Shape[] = []
  const values: unknown[] = []
  const uses = items.map(item => {
    for (let i = shapes.length - 1; i >= Math.max(0, shapes.length - TRIED); i--) {
      const before = values.length
      if (flatten(item, shapes[i] as Shape, values)) return i
      values.length = before
    }
    const shape = shapeOf(item)
    flatten(item, shape, values)
    return shapes.push(shape) - 1
  })
  return { shapes, uses, values }
}

export function unpack<T>({ shapes, uses, values }: Packed): T[] {
  let next = 0
  const inflate = (shape: Shape): unknown => {
    if (shape === null) return values[next++]
    if ('items' in shape) return shape.items.map(inflate)
    const out: Record<string, unknown> = {}
    for (let i = 0; i < shape.keys.length; i++) {
      const key = shape.keys[i] as string
      const value = inflate(shape.values[i] as Shape)
      // The names of fields are a store's: an assignment would set the prototype.
      if (key === '__proto__') Object.defineProperty(out, key, { ...OWN, value })
      else out[key] = value
    }
    return out
  }
  return uses.map(use => inflate(shapes[use] as Shape)) as T[]
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
