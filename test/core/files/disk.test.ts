import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  appendTo,
  createFile,
  replaceFile,
  replaceFileNow,
  whoElseMayWrite,
} from '../../../electron/core/files/disk.ts'
import { FolderLock } from '../../../electron/core/files/folder-lock.ts'
import { sleep } from '../../../electron/core/lib/timers.ts'
import { dataFolder } from '../../hosts/cli/run-cli.ts'

/** A folder with a link at these names to a file of the victim. */
function planted(...names: string[]) {
  const folder = dataFolder()
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'precious')
  for (const name of names) symlinkSync(victim, join(folder, name))
  return { folder, path: join(folder, names[0] ?? ''), read: () => readFileSync(victim, 'utf8') }
}

describe('a planted link', () => {
  it.each<[string, (path: string) => Promise<void> | void]>([
    ['replaced', path => replaceFile(path, 'mine', { flush: true })],
    ['replaced at once', path => replaceFileNow(path, 'mine')],
  ])('is %s, and its file stays as it was', async (_, write) => {
    const { folder, path, read } = planted('list.json', 'list.json.new', `list.json.${process.pid}.new`)
    await write(path)
    expect(read()).toBe('precious')
    expect(lstatSync(path).isFile()).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toHaveLength(4)
  })

  it('is not appended to or written through', async () => {
    const { path, read } = planted('log')
    await expect(appendTo(path, 'mine', { flush: true })).rejects.toMatchObject({ code: 'ELOOP' })
    await expect(createFile(path, 'mine')).rejects.toMatchObject({ code: 'EEXIST' })
    expect(read()).toBe('precious')
  })

  it('is not emptied by a process that waits for a lock', async () => {
    const { folder, read } = planted('list.lock.waiting')
    const lock = () => new FolderLock(join(folder, 'list.lock'), 10_000)
    const order: string[] = []
    await Promise.all([
      lock().run(async () => {
        await sleep(200)
        order.push('one')
      }),
      lock().run(async () => {
        await sleep(200)
        order.push('two')
      }),
    ])
    expect(order).toHaveLength(2)
    expect(read()).toBe('precious')
  })
})

it('a file that fails to be replaced stays, without a draft beside it', async () => {
  const folder = dataFolder()
  // A folder cannot be replaced by a file.
  await expect(replaceFile(folder, 'mine', { flush: false })).rejects.toThrow()
  expect(() => replaceFileNow(folder, 'mine')).toThrow()
  expect(
    readdirSync(join(folder, '..')).filter(
      name => name.includes('.new') && folder.endsWith(name.split('.')[0] ?? ''),
    ),
  ).toEqual([])
})

describe('the writers of a file', () => {
  afterEach(() => vi.unstubAllEnvs())
  const own = process.getuid?.() ?? 0

  it.each([
    ['its owner alone', { uid: own, mode: 0o100600 }, null],
    ['an owner whom all may read', { uid: own, mode: 0o100644 }, null],
    ['root', { uid: 0, mode: 0o100600 }, null],
    ['its group', { uid: own, mode: 0o100660 }, 'can be written by other users (mode 660)'],
    ['everyone', { uid: own, mode: 0o100602 }, 'can be written by other users (mode 602)'],
    ['another user', { uid: 4242, mode: 0o100600 }, 'belongs to another user (uid 4242)'],
  ])('may be %s', (_, stats, others) => {
    expect(whoElseMayWrite(stats)).toBe(others)
  })

  it.runIf(own === 0)('include the user who called sudo, for root', () => {
    vi.stubEnv('SUDO_UID', '4242')
    expect(whoElseMayWrite({ uid: 4242, mode: 0o600 })).toBeNull()
    expect(whoElseMayWrite({ uid: 4243, mode: 0o600 })).toBe('belongs to another user (uid 4243)')
  })
})
