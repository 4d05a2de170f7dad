import { expect, it } from 'vitest'
import { isOwnSender, isOwnUrl } from '../../electron/shell/sender.ts'

const frame = (url: string) => ({ url })
const contents = (mainFrame: { url: string }, destroyed = false) => ({
  mainFrame,
  isDestroyed: () => destroyed,
})

it.each([
  ['lockkeeper://console/', true],
  ['lockkeeper://console/assets/main.js', true],
  ['lockkeeper://console/failed?why=load', true],
  ['lockkeeper://console.evil.example/', false],
  ['lockkeeper://evil/', false],
  ['lockkeeper://user@console/', false],
  ['lockkeeper://console:1/', false],
  ['lockkeeper:console', false],
  ['http://console/', false],
  ['https://lockkeeper/console/', false],
  ['file:///lockkeeper://console/', false],
  ['data:text/html,lockkeeper://console/', false],
  ['about:blank', false],
  ['', false],
])('the address %j is ours: %j', (url, ours) => {
  expect(isOwnUrl(url)).toBe(ours)
})

it('accepts messages of the main frame of our window, and refuses all others', () => {
  const main = frame('lockkeeper://console/')
  const ours = contents(main)
  expect(isOwnSender({ sender: ours, senderFrame: main }, ours)).toBe(true)
  expect(isOwnSender({ sender: ours, senderFrame: null }, ours)).toBe(false)
  expect(isOwnSender({ sender: ours, senderFrame: frame('lockkeeper://console/') }, ours)).toBe(false)
  expect(isOwnSender({ sender: contents(main), senderFrame: main }, ours)).toBe(false)
  const elsewhere = frame('https://evil.example/')
  const moved = contents(elsewhere)
  expect(isOwnSender({ sender: moved, senderFrame: elsewhere }, moved)).toBe(false)
  const closed = contents(main, true)
  expect(isOwnSender({ sender: closed, senderFrame: main }, closed)).toBe(false)
})

it('refuses a message whose frame cannot be read', () => {
  const broken = {
    get url(): string {
      throw new Error('Render frame was disposed')
    },
  }
  const ours = contents(broken)
  expect(isOwnSender({ sender: ours, senderFrame: broken }, ours)).toBe(false)
  expect(isOwnSender({ sender: ours } as never, ours)).toBe(false)
})
