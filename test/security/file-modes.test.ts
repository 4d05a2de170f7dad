import { randomUUID } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { memoryServer } from '../../electron/core/stores/memory/servers.ts'
import { metricsToken } from '../../electron/hosts/metrics/token.ts'
import { acquirePipeline } from '../core/acquire-pipeline.ts'
import { openConsole, profile } from '../core/features/console.ts'

const OTHERS = 0o077

it.skipIf(process.platform === 'win32')(
  'every file and folder of the data folder is for its owner alone, whatever the umask',
  async () => {
    const above = mkdtempSync(join(tmpdir(), 'lockkeeper-modes-'))
    const before = process.umask(0)
    onTestFinished(() => {
      process.umask(before)
      rmSync(above, { recursive: true })
    })
    const folder = join(above, 'data')
    const name = `modes-${randomUUID()}`
    const run = { tenant_id: 'acme', pipeline_logging_id: 'run-1', locked_by: 'tests' }
    for (const pipeline_id of ['a', 'b']) acquirePipeline(memoryServer(name), { ...run, pipeline_id })
    const { ask, close } = openConsole(folder)
    const { storeId } = await ask('stores.add', { profile: profile({ address: `memory:${name}` }) })
    const fence = (await ask('locks.inspect', { storeId, id: 'acme:a' }))?.lock?.fence ?? ''
    expect(await ask('locks.release', { storeId, id: 'acme:a', fence })).toMatchObject({
      outcome: 'released',
    })
    await ask('plans.create', { storeIds: [storeId], watchMs: 0 })
    await expect.poll(async () => (await ask('stats.read', {})).stores).toMatchObject([{ status: 'live' }])
    await metricsToken({}, folder)
    await close()

    const paths = [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)),
    ]
    for (const kind of ['stores.json', 'audit-000001.jsonl', 'plans', 'installation.key', 'metrics-token'])
      expect(paths).toContain(join(folder, kind))
    expect(paths.filter(path => (lstatSync(path).mode & OTHERS) !== 0)).toEqual([])
  },
)
