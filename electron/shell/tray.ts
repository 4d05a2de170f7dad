import { app, Menu, nativeImage, Tray } from 'electron'
import { alertHeadline, sayUnacknowledged } from '../../shared/alert-words.ts'
import type { Alert, AlertsEvent } from '../../shared/alerts.ts'
import { clip } from '../../shared/safe-text.ts'
import { log } from './log.ts'
import { drawTray } from './tray-image.ts'

const SHOWN = 5
const LONGEST = 100

export type AlertTray = { show(event: AlertsEvent): void; close(): void }

/** An icon in the desktop's tray. Null if the desktop has no tray. */
export function openTray(showWindow: () => void): AlertTray | null {
  const template = process.platform === 'darwin'
  const draw = (alarm: boolean) => {
    const image = nativeImage.createEmpty()
    for (const scaleFactor of [1, 2]) {
      const size = (template ? 18 : 22) * scaleFactor
      image.addRepresentation({
        ...{ scaleFactor, width: size, height: size },
        buffer: nativeImage
          .createFromBitmap(drawTray(size, { template, alarm }), { width: size, height: size })
          .toPNG(),
      })
    }
    image.setTemplateImage(template)
    return image
  }
  const images = { quiet: draw(false), alarm: draw(true) }
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
    show(event) {
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
