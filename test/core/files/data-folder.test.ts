import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSession } from '../../../electron/core/dispatch.ts'
import { folderWarning } from '../../../electron/core/files/data-folder.ts'
import { createHostCore } from '../../../electron/hosts/console/core.ts'
import { createClient } from '../../../shared/client.ts'
import { dataFolder, runCli } from '../../hosts/cli/run-cli.ts'

describe('the data folder', () => {
  it('draws no warning if it is private, or does not exist yet', async () => {
    const folder = dataFolder()
    expect(folderWarning(folder)).toBeNull()
    expect(folderWarning(join(folder, 'new'))).toBeNull()
    expect((await runCli(['audit'], { LOCKKEEPER_DATA_DIR: folder })).stderr).toBe('')
  })

  it('draws a warning of one sentence if every account may write to it', async () => {
    const folder = dataFolder()
    chmodSync(folder, 0o777)
    const { code, stderr } = await runCli(['audit'], { LOCKKEEPER_DATA_DIR: folder })
    expect(code).toBe(0)
    expect(stderr).toBe(`lockkeeper: ${folderWarning(folder)}\n`)
    expect(stderr).toContain('can be written by every account')
  })

  it('shows the warning on the screens of a console', async () => {
    const folder = dataFolder()
    chmodSync(folder, 0o777)
    const start = { stores: [], suggestions: [], practice: false }
    const core = createHostCore({ LOCKKEEPER_DATA_DIR: folder }, folder, { start })
    onTestFinished(() => core.close())
    const client = createClient(frame => session.receive(frame))
    const session = openSession(core, frame => client.receive(frame))
    const notices: (string | null)[] = []
    client.open(
      'stores.watch',
      {},
      ({ notice }) => notices.push(notice),
      () => {},
    )
    await expect.poll(() => notices.at(-1)).toBe(`${folderWarning(folder)}.`)
  })

  it.runIf(process.getuid?.() === 0)('draws a warning if it belongs to another account', () => {
    const folder = dataFolder()
    chownSync(folder, 65534, 65534)
    expect(folderWarning(folder)).toContain('belongs to another account')
  })
})
