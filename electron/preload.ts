import { contextBridge, ipcRenderer } from 'electron'
import type { DownFrame, UpFrame } from '../shared/frames.ts'
import { CHANNEL } from './shell/channel.ts'

/** All that the page gets of Electron: frames up, and frames down. */
contextBridge.exposeInMainWorld('lockkeeper', {
  send: (frame: UpFrame) => ipcRenderer.send(CHANNEL, frame),
  onFrame: (listener: (frame: DownFrame) => void) => {
    // The event is kept back: it would lend the page the channel itself.
    ipcRenderer.on(CHANNEL, (_event, frame: DownFrame) => listener(frame))
  },
})
