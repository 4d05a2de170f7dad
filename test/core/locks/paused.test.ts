import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { createLockManager, type LockManager } from '../../../electron/hosts/library/index.ts'
import { ROOT } from '../../source-files.ts'

/** A program as somebody would write it, with the package as it is built. */
const PROGRAM = `
  import { createLockManager } from ${JSON.stringify(`${ROOT}dist/node/locks.js`)}
  const manager = createLockManager(process.argv[1])
  const work = manager.withLock('job', async ({ signal }) => {
    signal.addEventListener('abort', () => console.log('told ' + signal.reason.name))
    console.log('working')
    await new Promise(resolve => process.stdin.once('data', resolve))
  }, { owner: 'program', ttl: '2s' })
  await work.then(() => console.log('done'), error => console.log('failed ' + error.name))
  process.exit()
`

let address: string
let redis: Redis
let manager: LockManager
let program: ChildProcess
let said: string[]

beforeEach(async () => {
  redis = new Redis({ port: inject('redisPort') })
  const db = 1 + ((await redis.incr('next-database')) % 4000)
  await redis.select(db)
  await redis.flushdb()
  address = `redis://127.0.0.1:${inject('redisPort')}/${db}`
  manager = createLockManager(address)
  said = []
  program = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, address], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  createInterface({ input: program.stdout as NodeJS.ReadableStream }).on('line', line => said.push(line))
  await expect.poll(() => said).toEqual(['working'])
})
afterEach(async () => {
  program.kill('SIGKILL')
  await manager.close()
  await redis.flushdb()
  redis.disconnect()
})

it('keeps the lock of a program that works longer than its lease', async () => {
  const holder = await manager.holderOf('job')
  await expect
    .poll(async () => (await manager.holderOf('job'))?.expiresAt ?? 0)
    .toBeGreaterThan(holder?.expiresAt ?? 0)
  program.stdin?.write('end\n')
  await expect.poll(() => said).toEqual(['working', 'done'])
  expect(await manager.isLocked('job')).toBe(false)
})

it('notifies a program that was suspended past its lease as soon as it resumes', async () => {
  program.kill('SIGSTOP')
  const next = await manager.acquire('job', { owner: 'next', wait: '20s' })
  expect(next.acquired).toBe(true)
  program.kill('SIGCONT')
  await expect.poll(() => said).toEqual(['working', 'told LockLostError'])
  program.stdin?.write('end\n')
  await expect.poll(() => said).toEqual(['working', 'told LockLostError', 'failed LockLostError'])
  expect(await manager.holderOf('job')).toMatchObject({ owner: 'next' })
})

it('grants the lock of a killed program to the next after its lease', async () => {
  program.kill('SIGKILL')
  expect(await manager.acquire('job', { owner: 'next', wait: '20s' })).toMatchObject({ acquired: true })
})

it('notifies a program that an operator released its lock', async () => {
  await redis.del('lockRecharge:job')
  await expect.poll(() => said).toEqual(['working', 'told LockLostError'])
})
