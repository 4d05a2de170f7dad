import { contextBridge, ipcRenderer } from 'electron'
import type { DownFrame, UpFrame } from '../shared/frames.ts'
import { CHANNEL } from './shell/channel.ts'

/** The page's only access to Electron: frames up, frames down. */
contextBridge.exposeInMainWorld('lockkeeper', {
  send: (frame: UpFrame) => ipcRenderer.send(CHANNEL, frame),
  onFrame: (listener: (frame: DownFrame) => void) => {
    // Without the event, which would give the page the channel itself.
    ipcRenderer.on(CHANNEL, (_event, frame: DownFrame) => listener(frame))
  },
})
