import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { ElectronApplication } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Console, cleanEnvironment, electronFor, mayUnshare, openConsole } from './console.ts'
import { displayName } from './display.ts'
import { screen } from './screen.ts'

function appOf({ app }: Console): ElectronApplication {
  if (!app) throw new Error('no Electron')
  return app
}

/** What the window shows, also when the page that it was opened with has crashed. */
function shown(app: ElectronApplication): Promise<string> {
  return app.evaluate(async ({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    if (!contents || contents.isCrashed() || contents.isLoading()) return ''
    return contents.executeJavaScript('document.body.innerText') as Promise<string>
  })
}

describe('the window', () => {
  it('gives the page two functions, and neither navigation nor network', async () => {
    const console = await openConsole('electron')
    const { page, problems } = console
    await screen.rows(page).first().waitFor()
    const seen = await page.evaluate(() => {
      const page = window as unknown as Record<string, unknown>
      const bridge = page['lockkeeper'] as Record<string, unknown>
      return {
        absent: ['require', 'process', 'module', 'Buffer', 'electron'].filter(name => name in page),
        bridge: Object.entries(bridge).map(([name, value]) => `${name}: ${typeof value}`),
        origin: location.origin,
      }
    })
    expect(seen).toEqual({
      absent: [],
      bridge: ['send: function', 'onFrame: function'],
      origin: 'lockkeeper://console',
    })
    expect(problems).toEqual([])

    expect(await page.evaluate(() => window.open('http://127.0.0.1/'))).toBeNull()
    await page.evaluate(() => {
      location.href = 'http://127.0.0.1:9/'
    })
    await page.evaluate(() => {
      location.href = 'lockkeeper://elsewhere/'
    })
    const refused = await page.evaluate(() =>
      fetch('http://127.0.0.1:9/').then(
        () => 'fetched',
        () => 'refused',
      ),
    )
    expect(refused).toBe('refused')
    const inline = await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.__inline = 1'
      document.body.append(script)
      return (window as { __inline?: number }).__inline
    })
    expect(inline).toBeUndefined()
    expect(problems.some(problem => problem.includes('Content Security Policy'))).toBe(true)
    expect(page.url()).toBe('lockkeeper://console/')
    expect(appOf(console).windows()).toHaveLength(1)
    expect(await shown(appOf(console))).toContain('practice')
    // The sandbox is on, as Linux itself tells: a page that breaks out may call next to nothing.
    const pid = await appOf(console).evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId(),
    )
    if (process.getuid?.() !== 0 || mayUnshare())
      expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\s2$/m)
  })

  it('sends nothing by WebRTC, from no frame', async () => {
    const { page } = await openConsole('electron')
    await screen.rows(page).first().waitFor()
    const udp = createSocket('udp4').bind(0, '127.0.0.1')
    const tcp = createServer(socket => socket.destroy()).listen(0, '127.0.0.1')
    onTestFinished(() => {
      udp.close()
      tcp.close()
    })
    await Promise.all([once(udp, 'listening'), once(tcp, 'listening')])
    const arrived = Promise.race([
      once(udp, 'message').then(() => 'a UDP packet arrived'),
      once(tcp, 'connection').then(() => 'a TCP connection arrived'),
    ])
    const tried = page.evaluate(
      async ([udpPort, tcpPort]) => {
        const account = { username: 'x', credential: 'x' }
        const iceServers = [
          { urls: `stun:127.0.0.1:${udpPort}` },
          { urls: `turn:127.0.0.1:${udpPort}?transport=udp`, ...account },
          { urls: `turn:127.0.0.1:${tcpPort}?transport=tcp`, ...account },
        ]
        const peers = [
          `candidate:1 1 udp 2122260223 127.0.0.1 ${udpPort} typ host`,
          `candidate:2 1 tcp 1518280447 127.0.0.1 ${tcpPort} typ host tcptype passive`,
        ]
        const frame = document.createElement('iframe')
        document.body.append(frame)
        const found: string[] = []
        for (const each of [window, frame.contentWindow as Window & typeof globalThis]) {
          const connection = new each.RTCPeerConnection({ iceServers })
          const other = new each.RTCPeerConnection()
          connection.createDataChannel('x')
          const gathered = new Promise<void>(resolve => {
            connection.onicecandidate = ({ candidate }) => {
              if (candidate === null) resolve()
              else found.push(candidate.candidate)
            }
          })
          const offer = await connection.createOffer()
          await connection.setLocalDescription(offer)
          await other.setRemoteDescription(offer)
          await connection.setRemoteDescription(await other.createAnswer())
          for (const candidate of peers) await connection.addIceCandidate({ candidate, sdpMLineIndex: 0 })
          await gathered
        }
        return found
      },
      [udp.address().port, (tcp.address() as AddressInfo).port],
    )
    expect(await Promise.race([arrived, tried])).toEqual([])
  })

  it('shows the console again when its page goes to about:blank, and not an empty window', async () => {
    const { page } = await openConsole('electron')
    await screen.rows(page).first().waitFor()
    await page.evaluate(() => {
      Object.assign(window, { isEarlier: true })
      location.href = 'about:blank'
    })
    const isEarlier = () => page.evaluate(() => 'isEarlier' in window).catch(() => true)
    await expect.poll(isEarlier).toBe(false)
    await screen.rows(page).first().waitFor()
    expect(page.url()).toBe('lockkeeper://console/')
  })

  it('opens once, and comes to the front on a second start', async () => {
    const console = await openConsole('electron')
    await screen.rows(console.page).first().waitFor()
    const { program, args } = electronFor(console.dataFolder)
    const second = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: cleanEnvironment(console.dataFolder, { DISPLAY: await displayName() }),
    })
    let words = ''
    second.stderr.on('data', chunk => {
      words += chunk
    })
    const [code] = await once(second, 'exit')
    expect(code).toBe(0)
    expect(words).toContain('Lockkeeper is already open')
    expect(appOf(console).windows()).toHaveLength(1)
    await screen.rows(console.page).first().waitFor()
  })

  it('remembers its size', async () => {
    const first = await openConsole('electron')
    await screen.rows(first.page).first().waitFor()
    const size = await appOf(first).evaluate(({ BrowserWindow }) => {
      const window = BrowserWindow.getAllWindows()[0]
      window?.setSize(1010, 707)
      return window?.getSize()
    })
    await first.close()
    const again = await openConsole('electron', { dataFolder: first.dataFolder })
    const remembered = await appOf(again).evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.getSize(),
    )
    expect(size).toEqual([1010, 707])
    expect(remembered).toEqual(size)
  })

  it('says when its page crashed', async () => {
    const console = await openConsole('electron')
    await screen.rows(console.page).first().waitFor()
    const app = appOf(console)
    // Later, because the page that crashes is also the one that the answer goes through.
    await app.evaluate(({ BrowserWindow }) => {
      setTimeout(() => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(), 50)
    })
    await console.page.waitForEvent('crash')
    await expect.poll(() => shown(app)).toContain('The console page crashed.')
    expect(await shown(app)).toContain('This changed no lock.')
  })

  it('saves only files that the page made, where the operator chooses', async () => {
    const console = await openConsole('electron')
    const { page, dataFolder } = console
    const app = appOf(console)
    await screen.rows(page).first().waitFor()
    const path = join(dataFolder, 'kept.plan')
    // Stands for the operator in the dialog that asks where to.
    await app.evaluate(({ session }, to) => {
      const seen: string[] = []
      Object.assign(globalThis, { seen })
      session.defaultSession.on('will-download', (event, item) => {
        seen.push(`${event.defaultPrevented ? 'denied' : 'asked'} ${item.getURL().split(':')[0]}`)
        item.setSavePath(to)
      })
    }, path)
    await page.evaluate(() => {
      const link = document.createElement('a')
      link.href = 'data:text/plain,not-ours'
      link.download = 'x.txt'
      link.click()
    })
    await page.getByRole('button', { name: 'Release all…' }).click()
    await screen.dialog(page, /^Release \d+ locks$/).waitFor()
    await page.getByRole('button', { name: 'Save plan file' }).click()
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toMatch(/"planId":/)
    const seen = await app.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
    expect(seen).toEqual(['denied data', 'asked blob'])
  })
})
