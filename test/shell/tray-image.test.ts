import { expect, test } from 'vitest'
import { drawTray } from '../../electron/shell/tray-image.ts'

const SIZE = 32
const colourAt = (pixels: Buffer, x: number, y: number) => [
  ...pixels.subarray((y * SIZE + x) * 4, (y * SIZE + x) * 4 + 4),
]

test('the icon is a white gate post on the color of the program, with round corners', () => {
  const pixels = drawTray(SIZE, { template: false, alarm: false })
  expect(pixels).toHaveLength(SIZE * SIZE * 4)
  expect(colourAt(pixels, 0, 0)[3]).toBe(0)
  expect(colourAt(pixels, 8, 20)).toEqual([255, 255, 255, 255])
  expect(colourAt(pixels, 16, 28)).toEqual([0x63, 0x5c, 0x0d, 255])
})

test('an alarm is a red dot in the corner', () => {
  const at = (alarm: boolean) => colourAt(drawTray(SIZE, { template: false, alarm }), 25, 7)
  expect(at(true)).not.toEqual(at(false))
})

test('a template image has no color and a premultiplied alpha', () => {
  const pixels = drawTray(SIZE, { template: true, alarm: true })
  for (let i = 0; i < pixels.length; i += 4) expect([...pixels.subarray(i, i + 3)]).toEqual([0, 0, 0])
  expect(pixels.some(value => value > 0)).toBe(true)
})
