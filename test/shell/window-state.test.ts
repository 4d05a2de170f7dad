import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { placeWindow, windowStateFile } from '../../electron/shell/window-state.ts'
import { dataFolder } from '../hosts/cli/run-cli.ts'

const laptop = { x: 0, y: 25, width: 1440, height: 875 }
const beside = { x: 1440, y: 0, width: 2560, height: 1440 }
const was = { x: 1600, y: 100, width: 1800, height: 1000, maximized: false, fullScreen: false }

it('opens the window where it was', () => {
  expect(placeWindow(was, [laptop, beside]).bounds).toEqual({ x: 1600, y: 100, width: 1800, height: 1000 })
  expect(placeWindow({ ...was, maximized: true }, [laptop, beside]).maximized).toBe(true)
})

it('moves the window to a remaining screen when its own is gone', () => {
  expect(placeWindow(was, [laptop]).bounds).toEqual({ width: 1440, height: 875 })
})

it.each([
  ['above the screen', { ...was, x: 10, y: -500 }],
  ['below it', { ...was, x: 10, y: 890 }],
  ['all but a corner to the left', { ...was, x: -1750, y: 100 }],
])('is not left %s', (_, state) => {
  expect(placeWindow(state, [laptop]).bounds).not.toHaveProperty('x')
})

it('keeps the title bar below the top of the screen', () => {
  expect(placeWindow({ ...was, x: 10, y: 0 }, [laptop]).bounds).toMatchObject({ x: 10, y: 25 })
})

it.each([
  null,
  7,
  'x',
  {},
  { ...was, width: -1 },
  { ...was, x: 1e12 },
  { ...was, height: '9' },
  { ...was, y: 0.5 },
])('does not believe %j', state => {
  expect(placeWindow(state, [laptop])).toEqual({
    bounds: { width: 1280, height: 800 },
    maximized: false,
    fullScreen: false,
  })
})

it('never opens a window too small to use', () => {
  expect(placeWindow({ ...was, x: 0, y: 50, width: 10, height: 10 }, [laptop]).bounds).toMatchObject({
    width: 720,
    height: 480,
  })
})

it('keeps the state of the window in a file, and ignores one that is damaged or cannot be written', () => {
  const folder = dataFolder()
  const file = windowStateFile(folder)
  expect(file.read()).toBeNull()
  file.write(was)
  expect(file.read()).toEqual(was)
  writeFileSync(join(folder, 'window.json'), '{"x":')
  expect(file.read()).toBeNull()
  expect(() => windowStateFile(join(folder, 'missing')).write(was)).not.toThrow()
})
