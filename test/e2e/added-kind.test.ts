import '../fixtures/files/register.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../electron/core/compose.ts'
import type { Core } from '../../electron/core/dispatch.ts'
import type { Io } from '../../electron/hosts/cli/lib/io.ts'
import { runCli } from '../../electron/hosts/cli/run.ts'
import { newDataFolder, openBrowser } from './console.ts'
import { screen } from './screen.ts'

/** The command line in this process, where a kind is registered that the built one does not have. */
function commandLine(dataFolder: string) {
  const stdout = new PassThrough()
  const stop = new AbortController()
  let core: Core | undefined
  let printed = ''
  stdout.on('data', chunk => {
    printed += chunk
  })
  onTestFinished(async () => {
    stop.abort()
    await core?.close()
  })
  const io = {
    core: () => {
      core ??= createCore({ dataFolder })
      return core
    },
    stdin: new PassThrough(),
    stdout,
    stderr: stdout,
    env: { LOCKKEEPER_DATA_DIR: dataFolder },
    signal: stop.signal,
    distFolder: fileURLToPath(new URL('../../dist', import.meta.url)),
  } as unknown as Io
  return { run: (...args: string[]) => runCli(args, io), printed: () => printed, stop }
}

function folderWithLock(dataFolder: string): string {
  const folder = join(dataFolder, 'locks')
  mkdirSync(folder)
  const lock = { owner: 'nightly-run', takenAt: Date.now(), endsAt: Date.now() + 3_600_000 }
  writeFileSync(join(folder, 'invoices'), JSON.stringify(lock))
  return folder
}

it('lists, describes and explains the locks of an added kind at the command line', async () => {
  const dataFolder = newDataFolder()
  const { run, printed } = commandLine(dataFolder)
  const address = `files:${folderWithLock(dataFolder)}`
  expect(await run('list', address)).toBe(0)
  expect(printed()).toContain('invoices')
  expect(printed()).toContain('nightly-run')
  expect(await run('inspect', address, 'invoices')).toBe(0)
  expect(printed()).toContain('Lock file')
  expect(await run('formats')).toBe(0)
  expect(printed()).toContain('lock-file')
  expect(await run('list', 'file:/nothing')).not.toBe(0)
  expect(printed()).toMatch(/starts with redis:\/\/.* or files:/)
})

it('adds a store of an added kind in the dialog of the screen and shows its locks', async () => {
  const dataFolder = newDataFolder()
  const folder = folderWithLock(dataFolder)
  const { run, printed, stop } = commandLine(dataFolder)
  const ended = run('console', '--web', '--port', '0')
  await expect.poll(printed).toContain('Lockkeeper is at ')
  const page = await (await openBrowser()).newPage()
  onTestFinished(() => page.close())
  await page.goto(/Lockkeeper is at (\S+)/.exec(printed())?.[1] ?? '')
  await page.getByRole('button', { name: 'Add a store…' }).click()
  const dialog = screen.dialog(page, 'Add a store')
  await dialog.getByLabel('Provider').selectOption('Files')
  await dialog.getByLabel('Folder').fill(folder)
  expect(await dialog.getByRole('textbox', { name: 'Address' }).inputValue()).toBe(`files:${folder}`)
  expect(await dialog.getByLabel('Password').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = screen.row(page, 'invoices')
  await row.waitFor()
  expect(await screen.cell(row, 'holder').innerText()).toContain('nightly-run')
  stop.abort()
  await ended
})
