import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'

const FOLDER = new URL('../../electron/shell/tray/', import.meta.url)

/** The pixels of an icon: 8 bits of red, green, blue and alpha each, in rows without a filter. */
function iconOf(name: string) {
  const file = readFileSync(new URL(`${name}.png`, FOLDER))
  const size = file.readUInt32BE(16)
  expect([file.readUInt32BE(20), ...file.subarray(24, 29)]).toEqual([size, 8, 6, 0, 0, 0])
  const at = file.indexOf('IDAT')
  const rows = inflateSync(file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4)))
  expect(rows).toHaveLength(size * (1 + size * 4))
  const rgba = (x: number, y: number) => [...rows.subarray(y * (1 + size * 4) + 1 + x * 4).subarray(0, 4)]
  /** The pixel at a place in a square of 32. */
  const colorAt = (x: number, y: number) => rgba(Math.floor((x * size) / 32), Math.floor((y * size) / 32))
  const all = Array.from({ length: size * size }, (_, i) => rgba(i % size, Math.floor(i / size)))
  return { size, colorAt, all }
}

it.each([
  ['color-quiet', 22],
  ['color-quiet@2x', 44],
  ['color-alarm', 22],
  ['color-alarm@2x', 44],
  ['template-quiet', 18],
  ['template-quiet@2x', 36],
  ['template-alarm', 18],
  ['template-alarm@2x', 36],
])('%s has the size that its place in the tray needs', (name, size) => {
  expect(iconOf(name).size).toBe(size)
})

it.each(['', '@2x'])(
  'the icon%s is a white gate post on the color of the program, with round corners',
  scale => {
    const { colorAt } = iconOf(`color-quiet${scale}`)
    expect(colorAt(0, 0)[3]).toBe(0)
    expect(colorAt(8, 20)).toEqual([255, 255, 255, 255])
    expect(colorAt(16, 28)).toEqual([0x0d, 0x5c, 0x63, 255])
  },
)

it.each(['', '@2x'])('an alarm%s is a red dot in the corner', scale => {
  expect(iconOf(`color-alarm${scale}`).colorAt(25, 7)).toEqual([0xd9, 0x3b, 0x3b, 255])
  expect(iconOf(`color-quiet${scale}`).colorAt(25, 7)).not.toEqual([0xd9, 0x3b, 0x3b, 255])
})

it.each(['quiet', 'quiet@2x', 'alarm', 'alarm@2x'])('the template %s is black on transparent', name => {
  const { all } = iconOf(`template-${name}`)
  expect(new Set(all.map(pixel => pixel.slice(0, 3).join()))).toEqual(new Set(['0,0,0']))
  expect(all.some(pixel => pixel[3] === 255)).toBe(true)
  expect(all.some(pixel => pixel[3] === 0)).toBe(true)
})
