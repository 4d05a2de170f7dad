/// <reference types="vite/types/importMeta.d.ts" />
import { app, Menu, type NativeImage, nativeImage, Tray } from 'electron'
import { alertHeadline, sayUnacknowledged } from '../../shared/alert-words.ts'
import type { Alert, AlertsEvent } from '../../shared/alerts.ts'
import { clip } from '../../shared/safe-text.ts'
import { log } from './log.ts'

const SHOWN = 5
const LONGEST = 100

/** The icons as data URLs by file name. Those with `@2x` are for dense screens; macOS colors a template itself. */
const ICONS = import.meta.glob<string>('./tray/*.png', { query: '?inline', import: 'default', eager: true })
const LOOK = process.platform === 'darwin' ? 'template' : 'color'

/** An icon in the desktop's tray. Null if the desktop has no tray. */
export function openTray(showWindow: () => void) {
  const images = { quiet: icon('quiet'), alarm: icon('alarm') }
  let tray: Tray
  try {
    tray = new Tray(images.quiet)
  } catch {
    log('this desktop has no tray for the Lockkeeper icon')
    return null
  }
  tray.on('click', showWindow)
  let shown = ''
  return {
    show(event: AlertsEvent): void {
      const { unacknowledged } = event
      const labels = newest(event).map(menuLabel)
      const next = JSON.stringify([unacknowledged, labels])
      // Replacing the menu would close it if it is open.
      if (next === shown) return
      shown = next
      tray.setImage(unacknowledged > 0 ? images.alarm : images.quiet)
      tray.setToolTip(`Lockkeeper: ${sayUnacknowledged(unacknowledged)}`)
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: 'Show Lockkeeper', click: showWindow },
          { type: 'separator' },
          { label: sayUnacknowledged(unacknowledged), enabled: false },
          ...labels.map(label => ({ label, click: showWindow })),
          { type: 'separator' },
          { label: 'Quit Lockkeeper', click: () => app.quit() },
        ]),
      )
    },
    close: () => tray.destroy(),
  }
}

function icon(mood: 'quiet' | 'alarm'): NativeImage {
  const name = `./tray/${LOOK}-${mood}`
  const image = nativeImage.createFromDataURL(ICONS[`${name}.png`] ?? '')
  image.addRepresentation({ scaleFactor: 2, dataURL: ICONS[`${name}@2x.png`] ?? '' })
  image.setTemplateImage(LOOK === 'template')
  return image
}

/** The newest alerts that need attention. */
function newest({ alerts }: AlertsEvent): Alert[] {
  return alerts
    .filter(({ until, acknowledged, muteId }) => until === null && acknowledged === null && muteId === null)
    .slice(0, SHOWN)
}

/** A single ampersand would mark a shortcut. */
function menuLabel(alert: Alert): string {
  return clip(alertHeadline(alert), LONGEST).replaceAll('&', '&&')
}
