import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../source-files.ts'

/** A project elsewhere that has the package installed, as it was built. */
let project: string
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'lockkeeper-consumer-'))
  await mkdir(join(project, 'node_modules'))
  await symlink(ROOT, join(project, 'node_modules/lockkeeper'))
  await symlink(join(ROOT, 'node_modules/@types'), join(project, 'node_modules/@types'))
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(project, { recursive: true, force: true }))

/** Runs a program with plain Node: what it printed, and every file that was loaded. */
async function run(code: string): Promise<{ stdout: string; loaded: string[] }> {
  const file = join(project, 'program.js')
  const coverage = await mkdtemp(join(project, 'coverage-'))
  await writeFile(file, code)
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
  })
  const reports = await Promise.all(
    (await readdir(coverage)).map(async name => JSON.parse(await readFile(join(coverage, name), 'utf8'))),
  )
  const loaded = reports.flatMap(report => report.result.map(({ url }: { url: string }) => url))
  return { stdout, loaded }
}

it('is imported by a program of plain Node, which takes a lock', async () => {
  const { stdout, loaded } = await run(`
    import { createLockManager, pipelineKey } from 'lockkeeper/locks'
    const manager = createLockManager('memory:program')
    const answer = await manager.acquire(pipelineKey('acme', 'billing'), { owner: 'run-1' })
    console.log(answer.acquired, await manager.isLocked('acme:billing'), (await manager.activeLocks()).length)
    await answer.lock.release()
    console.log(await manager.withLock('acme:billing', () => 'done'))
    await manager.close()
  `)
  expect(stdout).toBe('true true 1\ndone\n')
  expect(loaded.some(url => url.endsWith('dist/node/locks.js'))).toBe(true)
  const packages = loaded.flatMap(url => url.split('/node_modules/').slice(1))
  expect(packages.filter(name => /^(electron|react|ioredis|mysql2|@aws-sdk|prom-client)/.test(name))).toEqual(
    [],
  )
})

it('loads no package on import', async () => {
  const { loaded } = await run(`import 'lockkeeper/locks'`)
  expect(loaded.length).toBeGreaterThan(1)
  expect(loaded.filter(url => url.includes('/node_modules/'))).toEqual([])
})

it('can be required by CommonJS programs', async () => {
  const { stdout } = await run(`
    import { createRequire } from 'node:module'
    console.log(Object.keys(createRequire(import.meta.url)('lockkeeper/locks')).sort().join(' '))
  `)
  expect(stdout).toContain(
    'LockHeldError LockLostError StoreError createLockManager lockManagerFromEnvironment pipelineKey',
  )
})

it('measures with an entry of its own', async () => {
  const { stdout, loaded } = await run(`
    import { createLockManager } from 'lockkeeper/locks'
    import { lockMetrics } from 'lockkeeper/locks/metrics'
    const { observer, register } = lockMetrics()
    await createLockManager('memory:measured', { observer }).acquire('acme:billing')
    console.log(await register.metrics())
  `)
  expect(stdout).toContain('pipeline_active_locks{tenant_id="acme",pipeline_id="billing"} 1')
  expect(loaded.some(url => url.includes('/node_modules/prom-client/'))).toBe(true)
})

it('has types that compile in a strict project and reject wrong calls', async () => {
  await writeFile(
    join(project, 'program.ts'),
    `
    import { createLockManager, LockHeldError, type LockManager, lockManagerFromEnvironment, StoreError } from 'lockkeeper/locks'
    import { lockMetrics } from 'lockkeeper/locks/metrics'
    const { observer, register } = lockMetrics()
    export const manager: LockManager = createLockManager(['redis://a', 'redis://b'], { ttl: '5m', observer })
    export const text: Promise<string> = register.metrics()
    export async function work(): Promise<number> {
      await using other = lockManagerFromEnvironment(process.env)
      const answer = await other.acquire('job', { wait: 500, metadata: { locked_by: 'ana' } })
      if (!answer.acquired) return answer.holder?.expiresAt ?? 0
      await using lock = answer.lock
      const fencing: number | null = lock.fencing
      // @ts-expect-error a unit that there is not
      await lock.renew('5 parsecs')
      // @ts-expect-error nothing is released without a reason
      await other.releaseAll({})
      try {
        return await manager.withLock('job', async ({ signal }) => (signal.aborted ? 1 : (fencing ?? 2)))
      } catch (error) {
        if (error instanceof LockHeldError) return error.waitedMs
        if (error instanceof StoreError && error.code === 'STORE_UNREACHABLE') return 0
        throw error
      }
    }
    `,
  )
  const compilerOptions = {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [
    tsc,
    '-p',
    project,
    '--pretty',
    'false',
  ]).catch(error => error as { stdout: string })
  expect(stdout).toBe('')
})
