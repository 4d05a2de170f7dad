import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFileNow } from '../core/files/disk.ts'

export type Rectangle = { x: number; y: number; width: number; height: number }

const SMALLEST = { width: 720, height: 480 }
const USUAL = { width: 1280, height: 800 }
/** The part of a window that must be on a screen for the operator to see and drag it. */
const REACHABLE = { width: 120, height: 40 }

const pixels = z.number().int().min(-100_000).max(100_000)
export const windowStateSchema = z.object({
  x: pixels,
  y: pixels,
  width: pixels.positive(),
  height: pixels.positive(),
  maximized: z.boolean(),
  fullScreen: z.boolean(),
})
export type WindowState = z.infer<typeof windowStateSchema>

/** The saved position, unless its screen is gone or the file is invalid. */
export function placeWindow(saved: unknown, screens: readonly Rectangle[]) {
  const parsed = windowStateSchema.safeParse(saved)
  if (!parsed.success) return { bounds: fitInto(USUAL, screens[0]), maximized: false, fullScreen: false }
  const { maximized, fullScreen, ...was } = parsed.data
  const screen = screens.find(each => isReachable(was, each))
  if (!screen) return { bounds: fitInto(was, screens[0]), maximized, fullScreen }
  return {
    bounds: { x: was.x, y: Math.max(was.y, screen.y), ...fitInto(was, screen) },
    maximized,
    fullScreen,
  }
}

function fitInto(size: { width: number; height: number }, screen: Rectangle | undefined) {
  const within = (wanted: number, smallest: number, room: number) =>
    Math.max(smallest, Math.min(wanted, room))
  return {
    width: within(size.width, SMALLEST.width, screen?.width ?? size.width),
    height: within(size.height, SMALLEST.height, screen?.height ?? size.height),
  }
}

/** Counts the top edge, which has the title bar. */
function isReachable(was: Rectangle, screen: Rectangle): boolean {
  const shared = Math.min(was.x + was.width, screen.x + screen.width) - Math.max(was.x, screen.x)
  const top = was.y - screen.y
  return shared >= REACHABLE.width && top >= -REACHABLE.height && top <= screen.height - REACHABLE.height
}

export { SMALLEST as SMALLEST_WINDOW }

/** window.json in the data folder. Errors are ignored: the window then opens in its default place. */
export function windowStateFile(folder: string) {
  const file = join(folder, 'window.json')
  return {
    read(): unknown {
      try {
        return JSON.parse(readFileSync(file, 'utf8'))
      } catch {
        return null
      }
    },
    write(state: WindowState): void {
      try {
        // Renamed into place, so that a crash leaves the old file complete.
        replaceFileNow(file, `${JSON.stringify(state)}\n`)
      } catch {}
    },
  }
}
