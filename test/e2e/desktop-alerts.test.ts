import { Redis } from 'ioredis'
import type { ElectronApplication } from 'playwright'
import { expect, inject, it, onTestFinished } from 'vitest'
import { type Console, openConsole } from './console.ts'

type Seen = { badges: number[]; notices: { title: string; body: string; click: () => void }[] }

function appOf({ app }: Console): ElectronApplication {
  if (!app) throw new Error('no Electron')
  return app
}

const titleOf = (app: ElectronApplication) =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle())

/** Stands for a desktop that has a dock and shows notifications, which the one of a test has not. */
async function listen(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ app, Notification }) => {
    const seen: Seen = { badges: [], notices: [] }
    Object.assign(globalThis, { seen })
    app.setBadgeCount = (count = 0) => seen.badges.push(count) > 0
    Object.defineProperty(Notification, 'isSupported', { value: () => true })
    Notification.prototype.show = function () {
      const { title, body } = this
      seen.notices.push({ title, body, click: () => this.emit('click') })
    }
  })
}

const badges = (app: ElectronApplication) =>
  app.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.badges)
const notices = (app: ElectronApplication) =>
  app.evaluate(() =>
    (globalThis as unknown as { seen: Seen }).seen.notices.map(({ title, body }) => ({ title, body })),
  )

async function stuckLocks() {
  const port = inject('redisPort')
  const admin = new Redis({ port })
  const db = 1 + ((await admin.incr('next-database')) % 4000)
  admin.disconnect()
  const client = new Redis({ port, db })
  await client.flushdb()
  onTestFinished(async () => {
    await client.flushdb()
    client.disconnect()
  })
  /** In one step, so that one reading finds all of them. */
  const put = (...names: string[]) => {
    const [timestamp, expiresAt] = [Date.now() - 7_200_000, Date.now() - 3_600_000]
    const recordOf = (name: string) => JSON.stringify({ lockId: `${name}_1`, pid: 7, timestamp, expiresAt })
    return client.mset(names.flatMap(name => [`lockRecharge:${name}`, recordOf(name)]))
  }
  return { client, put, address: `redis://127.0.0.1:${port}/${db}` }
}

it('the window and the badge count the alerts, and the desktop is notified once', async () => {
  const { client, put, address } = await stuckLocks()
  const console = await openConsole('electron', { stores: [{ name: 'recharges', address }] })
  const app = appOf(console)
  await listen(app)
  expect(await titleOf(app)).toBe('Lockkeeper')
  await put('GPS', 'VOZ')
  await expect.poll(() => titleOf(app)).toBe('(2) Lockkeeper')
  expect(await badges(app)).toContain(2)
  await expect
    .poll(() => notices(app))
    .toEqual([
      { title: 'Past its expiry', body: '2 locks in recharges are past their expiry and still stored.' },
    ])

  // A click shows the window, and tells the page that the list is wanted.
  await console.page.evaluate(() => {
    window.addEventListener('lockkeeper:show-alerts', () => {
      document.documentElement.dataset['wanted'] = 'alerts'
    })
  })
  await app.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.notices[0]?.click())
  await expect
    .poll(() => console.page.evaluate(() => document.documentElement.dataset['wanted']))
    .toBe('alerts')

  // The page may be loaded anew: its own title is not the window's.
  await console.page.reload()
  expect(await titleOf(app)).toBe('(2) Lockkeeper')
  await client.flushdb()
  await expect.poll(() => titleOf(app)).toBe('Lockkeeper')
  expect((await badges(app)).at(-1)).toBe(0)
  expect(await notices(app)).toHaveLength(1)
  expect(console.problems).toEqual([])
})
