import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FolderLock } from '../../../electron/core/files/folder-lock.ts'
import { SharedFile } from '../../../electron/core/files/shared-file.ts'
import { dataFolder } from '../../hosts/cli/run-cli.ts'

const schema = z.object({ words: z.array(z.string()) })
const empty: z.infer<typeof schema> = { words: [] }
const DAMAGED = '{"words": ["a'

function open(folder: string) {
  return new SharedFile({ folder, name: 'words', what: 'The list of words', schema, empty })
}

const pathIn = (folder: string) => join(folder, 'words.json')
const wordsIn = (folder: string) => JSON.parse(readFileSync(pathIn(folder), 'utf8')).words
const add = (file: SharedFile<typeof empty>, word: string) =>
  file.update(({ words }) => ({ words: [...words, word] }))
const asideIn = (folder: string) => readdirSync(folder).filter(name => name.startsWith('words.damaged-'))

describe('a shared file', () => {
  it('keeps every update of two processes', async () => {
    const folder = join(dataFolder(), 'new')
    const [a, b] = [open(folder), open(folder)]
    const all = Array.from({ length: 20 }, (_, n) => String(n))
    await Promise.all(all.map((word, n) => add(n % 2 ? a : b, word)))
    expect(wordsIn(folder).toSorted()).toEqual(all.toSorted())
    expect(readdirSync(folder).filter(name => /\.(new|lock)$/.test(name))).toEqual([])
  })

  it('is not written by an update that changes nothing', async () => {
    const folder = dataFolder()
    await open(folder).update(value => value)
    expect(existsSync(pathIn(folder))).toBe(false)
  })

  it('reports a change by another process once, and its loss', async () => {
    const folder = dataFolder()
    const [a, b] = [open(folder), open(folder)]
    await b.read()
    expect(await b.read()).toBe(false)
    await add(a, 'one')
    expect(await b.read()).toBe(true)
    expect(b.value).toEqual({ words: ['one'] })
    expect(await b.read()).toBe(false)
    expect(await a.read()).toBe(false)
    renameSync(pathIn(folder), join(folder, 'elsewhere.json'))
    expect(await b.read()).toBe(true)
    expect(b.isMissing).toBe(true)
  })

  it('is never overwritten while it is unreadable, and keeps its last value', async () => {
    const folder = dataFolder()
    const file = open(folder)
    await add(file, 'one')
    renameSync(pathIn(folder), join(folder, 'good.json'))
    mkdirSync(pathIn(folder))
    expect(await file.read({ setAside: true })).toBe(true)
    expect(file.notice).toBe('The list of words cannot be read (EISDIR).')
    await expect(add(file, 'two')).rejects.toThrow(
      'The list of words cannot be read (EISDIR). It is not written',
    )
    expect(file.value).toEqual({ words: ['one'] })
    rmdirSync(pathIn(folder))
    renameSync(join(folder, 'good.json'), pathIn(folder))
    expect(await file.read()).toBe(true)
    expect(file.notice).toBeNull()
    await add(file, 'two')
    expect(wordsIn(folder)).toEqual(['one', 'two'])
  })
})

describe('a damaged file', () => {
  it('stays unchanged unless it may be set aside', async () => {
    const folder = dataFolder()
    writeFileSync(pathIn(folder), DAMAGED)
    const file = open(folder)
    await file.read()
    expect(file.notice).toBe('The list of words could not be understood.')
    await expect(add(file, 'one')).rejects.toThrow('It is not written before you fix or move words.json')
    expect(readFileSync(pathIn(folder), 'utf8')).toBe(DAMAGED)
  })

  it('is set aside as a whole, with a notice, and replaced by the next update', async () => {
    const folder = dataFolder()
    writeFileSync(pathIn(folder), DAMAGED)
    const file = open(folder)
    await file.read({ setAside: true })
    const [aside = ''] = asideIn(folder)
    expect(file.notice).toBe(`The list of words could not be understood and was set aside as ${aside}.`)
    expect(readFileSync(join(folder, aside), 'utf8')).toBe(DAMAGED)
    await add(file, 'one')
    expect(wordsIn(folder)).toEqual(['one'])
  })

  it('is set aside once: the slower of two processes adopts what the faster one wrote', async () => {
    const folder = dataFolder()
    writeFileSync(pathIn(folder), DAMAGED)
    const slow = open(folder)
    let reading: Promise<boolean> = Promise.resolve(false)
    await new FolderLock(join(folder, 'words.lock'), 60_000).run(async () => {
      reading = slow.read({ setAside: true })
      // Written by a process that has waited for the lock for a while.
      await expect.poll(() => existsSync(join(folder, 'words.lock.waiting')), { interval: 5 }).toBe(true)
      renameSync(pathIn(folder), join(folder, 'words.damaged-1.json'))
      writeFileSync(pathIn(folder), '{"words": ["good"]}')
    })
    expect(await reading).toBe(true)
    expect(slow.value).toEqual({ words: ['good'] })
    expect(slow.notice).toBeNull()
    expect(asideIn(folder)).toEqual(['words.damaged-1.json'])
    expect(wordsIn(folder)).toEqual(['good'])
  })
})
