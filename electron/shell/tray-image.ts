/** The lock gate of the program's icon, drawn here because the tray needs several sizes. Coordinates are in a square of 32. */

type Point = readonly [x: number, y: number]
type Colour = readonly [red: number, green: number, blue: number]

const GROUND: Colour = [0x0d, 0x5c, 0x63]
const POSTS: Colour = [0xff, 0xff, 0xff]
const GATE: Colour = [0x8f, 0xe0, 0xd4]
const ALARM: Colour = [0xd9, 0x3b, 0x3b]
const BLACK: Colour = [0, 0, 0]

const STROKE = 1.7
const LINES: readonly (readonly [Point, Point, Colour])[] = [
  [[8, 7], [8, 25], POSTS],
  [[24, 7], [24, 25], POSTS],
  [[8, 13], [16, 18], GATE],
  [[16, 18], [24, 13], GATE],
]
const DOT = { at: [25, 7] as Point, radius: 6 }

export type TrayLook = {
  /** macOS colors a template itself: it needs black on transparent. */
  readonly template: boolean
  /** Whether there are unacknowledged alerts. */
  readonly alarm: boolean
}

/** Pixels as Electron takes them: blue, green, red, alpha, with the alpha multiplied in. */
export function drawTray(size: number, { template, alarm }: TrayLook): Buffer {
  const pixels = Buffer.alloc(size * size * 4)
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const at: Point = [((x + 0.5) * 32) / size, ((y + 0.5) * 32) / size]
      const layers: (readonly [number, Colour])[] = []
      const soft = 16 / size
      if (!template) layers.push([cover(fromSquare(at), soft), GROUND])
      for (const [from, to, colour] of LINES)
        layers.push([cover(fromLine(at, from, to) - STROKE, soft), template ? BLACK : colour])
      if (alarm) layers.push([cover(distance(at, DOT.at) - DOT.radius, soft), template ? BLACK : ALARM])
      pixels.set(blend(layers), (y * size + x) * 4)
    }
  return pixels
}

function blend(layers: readonly (readonly [number, Colour])[]): [number, number, number, number] {
  let [red, green, blue, alpha] = [0, 0, 0, 0]
  for (const [part, [r, g, b]] of layers) {
    red = r * part + red * (1 - part)
    green = g * part + green * (1 - part)
    blue = b * part + blue * (1 - part)
    alpha = part + alpha * (1 - part)
  }
  return [Math.round(blue), Math.round(green), Math.round(red), Math.round(alpha * 255)]
}

/** How much of a pixel is within a shape, by how far it is from its edge. */
function cover(fromEdge: number, soft: number): number {
  return Math.min(1, Math.max(0, 0.5 - fromEdge / (2 * soft)))
}

function distance([x, y]: Point, [toX, toY]: Point): number {
  return Math.hypot(x - toX, y - toY)
}

function fromLine(at: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay]
  const along = ((at[0] - ax) * dx + (at[1] - ay) * dy) / (dx * dx + dy * dy)
  const t = Math.min(1, Math.max(0, along))
  return distance(at, [ax + t * dx, ay + t * dy])
}

/** A square of 32 with round corners. */
function fromSquare([x, y]: Point): number {
  const corner = 7
  const dx = Math.abs(x - 16) - (16 - corner)
  const dy = Math.abs(y - 16) - (16 - corner)
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - corner
}
