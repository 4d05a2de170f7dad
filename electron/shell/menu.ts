import { app, type BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron'
import { HOME } from './channel.ts'

/** The usual menu and shortcuts, without links to the internet. */
export function setMenu(window: () => BrowserWindow | null): void {
  const isMac = process.platform === 'darwin'
  const separator = { type: 'separator' } as const
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    { label: '&File', submenu: [{ role: isMac ? 'close' : 'quit' }] },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        {
          label: 'Reload',
          accelerator: 'CmdOrCtrl+R',
          // Back to the console, also from the error page.
          click: () => void window()?.webContents.loadURL(HOME),
        },
        ...(app.isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    { label: '&Help', role: 'help', submenu: [{ role: 'about' }] },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
