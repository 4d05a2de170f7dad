import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type ElectronApplication,
  _electron as electron,
  type Page,
} from 'playwright'
import { onTestFinished } from 'vitest'
import type { StoreProfile } from '../../shared/stores.ts'
import { auditLines } from '../core/features/audit/lines.ts'
import { CLI } from '../hosts/cli/run-cli.ts'
import { findTestElectron } from '../servers/find-electron.mjs'
import { programPath } from '../servers/process.ts'
import { displayName } from './display.ts'

export const HOSTS = ['web', 'electron'] as const
export type Host = (typeof HOSTS)[number]

const MAIN = fileURLToPath(new URL('../../dist/node/main.js', import.meta.url))

/** A store that is in the list from the start. */
export type GivenStore = Pick<StoreProfile, 'name' | 'address'> & Partial<StoreProfile>

export type ConsoleOptions = {
  /** Without any, the practice store is open. */
  readonly stores?: readonly GivenStore[]
  readonly env?: Readonly<Record<string, string>>
  /** Of a console before, to start it again. */
  readonly dataFolder?: string
  readonly context?: BrowserContextOptions
}

export type AuditEntry = Readonly<Record<string, unknown>>

/** The console of one host, with the page that an operator sees. It ends with the test. */
export type Console = {
  readonly page: Page
  readonly dataFolder: string
  /** Of the process that has the core. */
  readonly pid: number
  /** What no page of ours may ever bring forth: errors, refused content, alerts. */
  readonly problems: string[]
  readonly app: ElectronApplication | null
  audit(): Promise<AuditEntry[]>
  close(): Promise<void>
}

let browser: Promise<Browser> | null = null

/** One for all tests of this process. Playwright ends it with the process. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: programPath('chromium'),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
  return browser
}

export async function openConsole(host: Host, options: ConsoleOptions = {}): Promise<Console> {
  const folder = options.dataFolder ?? newDataFolder()
  if (options.stores) keepStores(folder, options.stores)
  const console = await (host === 'web' ? openWeb(folder, options) : openElectron(folder, options))
  onTestFinished(() => console.close())
  return console
}

export function newDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockkeeper-e2e-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Nothing of the machine's own settings may be found in the environment and offered as a store. */
export function cleanEnvironment(folder: string, more: Readonly<Record<string, string>> = {}) {
  const { PATH = '', TMPDIR = tmpdir() } = process.env
  return {
    PATH,
    TMPDIR,
    HOME: folder,
    LANG: 'C.UTF-8',
    LOCKKEEPER_DATA_DIR: folder,
    // dynalite takes any credentials, but the client wants some.
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...more,
  }
}

function keepStores(folder: string, given: readonly GivenStore[]): void {
  const stores = given.map((store, i) => ({
    storeId: `store-${i}`,
    profile: { colour: 'teal', production: false, readOnly: false, ...store },
    open: true,
    sealed: null,
  }))
  writeFileSync(join(folder, 'stores.json'), JSON.stringify({ version: 1, stores }))
}

async function openWeb(folder: string, options: ConsoleOptions): Promise<Console> {
  const child = spawn(process.execPath, [CLI, 'console', '--web', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: cleanEnvironment(folder, options.env),
  })
  const exited = once(child, 'exit')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const context = await (await openBrowser()).newContext({
    viewport: { width: 1280, height: 800 },
    ...options.context,
  })
  const page = await context.newPage()
  const problems = problemsOf(page)
  const lines = createInterface({ input: child.stdout })
  const address = await new Promise<string>((resolve, reject) => {
    lines.on('line', line => {
      const found = /Lockkeeper is at (\S+)/.exec(line)?.[1]
      if (found) resolve(found)
    })
    lines.on('close', () => reject(new Error('the console ended before it said where it is')))
  })
  await page.goto(address)
  await page.waitForURL(url => url.pathname === '/')
  return {
    page,
    dataFolder: folder,
    pid: child.pid ?? 0,
    problems,
    app: null,
    audit: () => readAudit(folder),
    async close() {
      await context.close()
      process.off('exit', kill)
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function openElectron(folder: string, options: ConsoleOptions): Promise<Console> {
  const { app, page } = await launchElectron(folder, options.env)
  const problems = problemsOf(page)
  let closed: Promise<void> | null = null
  return {
    page,
    dataFolder: folder,
    pid: app.process().pid ?? 0,
    problems,
    app,
    audit: () => readAudit(folder),
    close() {
      closed ??= app.close()
      return closed
    },
  }
}

/** Once in a while Playwright and Electron miss each other at the start, and Playwright waits for a window for ever. */
const LAUNCH_TIMEOUTS_MS = [40_000, 80_000, 120_000, 120_000]

async function launchElectron(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ app: ElectronApplication; page: Page }> {
  const { program, args } = electronFor(folder)
  const allEnv = cleanEnvironment(folder, { DISPLAY: await displayName(), ...env })
  let missed: unknown
  for (const timeout of LAUNCH_TIMEOUTS_MS) {
    let app: ElectronApplication | null = null
    try {
      app = await electron.launch({ executablePath: program, args, timeout, env: allEnv })
      return { app, page: await app.firstWindow({ timeout }) }
    } catch (error) {
      app?.process().kill('SIGKILL')
      missed = error
    }
  }
  throw missed
}

/**
 * How Electron is run. The sandbox stays on, as it is for users; since Chromium has none for root, root runs it in a user
 * namespace where it is called nobody.
 */
export function electronFor(folder: string): { program: string; args: string[] } {
  const program = findTestElectron()
  if (program === null) throw new Error('Electron is not installed; npm test installs it')
  if (process.getuid?.() !== 0) return { program, args: [MAIN] }
  // A container may forbid user namespaces, and with them Chromium's sandbox for root.
  if (!mayUnshare()) return { program, args: ['--no-sandbox', MAIN] }
  const asNobody = join(folder, 'run-as-nobody')
  const lines = [
    '#!/bin/sh',
    // Playwright turns the sandbox off when it is run by root.
    'for arg do shift; [ "$arg" = --no-sandbox ] || set -- "$@" "$arg"; done',
    `exec unshare --user --map-user=65534 --map-group=65534 '${program}' "$@"`,
  ]
  writeFileSync(asNobody, `${lines.join('\n')}\n`, { mode: 0o755 })
  return { program: asNobody, args: [MAIN] }
}

/** Whether root can become somebody else here, as Chromium's sandbox asks of it. */
export function mayUnshare(): boolean {
  return spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', 'true']).status === 0
}

function problemsOf(page: Page): string[] {
  // Sooner than the test's own time is up, so that it says what was waited for.
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', error => problems.push(`error: ${error.message}`))
  page.on('dialog', dialog => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return problems
}

async function readAudit(folder: string): Promise<AuditEntry[]> {
  return auditLines(folder)
}
