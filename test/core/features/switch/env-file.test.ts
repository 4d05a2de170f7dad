import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeEnvFile, previewEnv, readEnvFile } from '../../../../electron/core/features/switch/env-file.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { envCopies } from './env-copies.ts'

function aFile(text: string | Buffer, name = '.env', mode = 0o640) {
  const folder = join(realpathSync(dataFolder()), 'app')
  mkdirSync(folder)
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return { folder, path, read: () => readFileSync(path, 'utf8') }
}

/** Beside the folder of the file. */
const dataOf = (path: string) => join(dirname(path), '..', 'data')
const preview = (path: string, wanted: string) => previewEnv(path, wanted, dataOf(path))
const change = (path: string, wanted: string, digest: string) =>
  changeEnvFile(path, wanted, digest, dataOf(path))

describe('a settings file', () => {
  it('changes only what the preview showed, and keeps a copy where it cannot be committed', async () => {
    const text = 'SECRET=hunter2\r\nLOCK_PROVIDER=redis # which\r\nTOKEN=ü\r\n'
    const { folder, path, read } = aFile(text)
    const shown = await preview(path, 'mysql')
    expect(shown).toMatchObject({
      file: path,
      value: 'redis',
      wanted: 'mysql',
      lines: [{ line: 2, before: 'LOCK_PROVIDER=redis # which', after: 'LOCK_PROVIDER=mysql # which' }],
    })
    expect(JSON.stringify(shown)).not.toContain('hunter2')
    expect(readdirSync(folder)).toEqual(['.env'])
    const { copy, before } = await change(path, 'mysql', shown.digest)
    expect(before).toBe('redis')
    expect(read()).toBe(text.replace('=redis', '=mysql'))
    expect(copy).toMatch(/\/\.env\.lockkeeper-\d{8}T\d{6}Z$/)
    expect(readFileSync(copy, 'utf8')).toBe(text)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(shown.copy).toBe(copy)
    expect(envCopies(dataOf(path))).toEqual([copy])
    expect(readdirSync(folder)).toEqual(['.env'])
    expect((await readEnvFile(path)).value).toBe('mysql')
  })

  it('stays as it is if another program changed it after the preview', async () => {
    const { folder, path, read } = aFile('LOCK_PROVIDER=redis\n')
    const { digest } = await preview(path, 'mysql')
    writeFileSync(path, 'LOCK_PROVIDER=redis\nOTHER=1\n')
    await expect(change(path, 'mysql', digest)).rejects.toThrow('changed since it was shown')
    expect(read()).toBe('LOCK_PROVIDER=redis\nOTHER=1\n')
    expect(readdirSync(folder)).toEqual(['.env'])
  })

  it('is changed once when two consoles act on the same preview', async () => {
    const { folder, path, read } = aFile('LOCK_PROVIDER=redis\n')
    const { digest } = await preview(path, 'mysql')
    const both = await Promise.allSettled([change(path, 'mysql', digest), change(path, 'mysql', digest)])
    expect(both.map(({ status }) => status)).toContain('fulfilled')
    expect(read()).toBe('LOCK_PROVIDER=mysql\n')
    // Whatever became of the second, every copy is the file as it was, and no draft is left.
    for (const copy of envCopies(dataOf(path)))
      expect(readFileSync(copy, 'utf8')).toBe('LOCK_PROVIDER=redis\n')
    expect(readdirSync(folder)).toEqual(['.env'])
  })

  it('is not written if it has the wanted value already', async () => {
    const { path } = aFile('LOCK_PROVIDER=mysql\n')
    const { digest, lines } = await preview(path, 'mysql')
    expect(lines).toEqual([])
    await expect(change(path, 'mysql', digest)).rejects.toThrow('already')
  })

  it('has copies that the next change never overwrites', async () => {
    const { path } = aFile('LOCK_PROVIDER=redis\n')
    const copies = new Map<string, string>()
    for (const wanted of ['mysql', 'redis', 'dynamodb', 'redis']) {
      const before = readFileSync(path, 'utf8')
      const { digest } = await preview(path, wanted)
      copies.set((await change(path, wanted, digest)).copy, before)
    }
    expect(copies.size).toBe(4)
    for (const [copy, text] of copies) expect(readFileSync(copy, 'utf8')).toBe(text)
    expect(envCopies(dataOf(path)).sort()).toEqual([...copies.keys()].sort())
  })

  it('gets a copy that is readable only by accounts that can read the file', async () => {
    const { path } = aFile('LOCK_PROVIDER=redis\n', '.env', 0o400)
    const { digest } = await preview(path, 'mysql')
    const { copy } = await change(path, 'mysql', digest)
    expect(statSync(copy).mode & 0o777).toBe(0o400)
    expect(statSync(path).mode & 0o777).toBe(0o400)
  })

  it('is previewed and changed through a link, and the link stays', async () => {
    const { folder, path } = aFile('LOCK_PROVIDER=redis\n', 'shared.env')
    const link = join(folder, '.env')
    symlinkSync('shared.env', link)
    const shown = await preview(link, 'mysql')
    expect(shown.file).toBe(path)
    await change(link, 'mysql', shown.digest)
    expect(readFileSync(path, 'utf8')).toBe('LOCK_PROVIDER=mysql\n')
    expect(realpathSync(link)).toBe(path)
  })

  it.each(['.env', '.env.production', 'app.env'])('may be called %s', async name => {
    expect((await readEnvFile(aFile('LOCK_PROVIDER=redis', name).path)).value).toBe('redis')
  })
})

describe('refuses a file that is', () => {
  it.each(['passwd', 'env', '.environment', 'id_rsa', '.env.', 'x.env.bak'])('called %s', async name => {
    await expect(readEnvFile(aFile('LOCK_PROVIDER=redis', name).path)).rejects.toThrow('Only files')
  })

  it('a different file behind a link with an allowed name', async () => {
    const { folder } = aFile('root:x', 'shadow')
    symlinkSync('shadow', join(folder, '.env'))
    await expect(readEnvFile(join(folder, '.env'))).rejects.toThrow('Only files')
  })

  it('named by a relative path', async () => {
    await expect(readEnvFile('.env')).rejects.toThrow('absolute path')
  })

  it('missing, a folder, too large, or not text', async () => {
    const { folder } = aFile('')
    await expect(readEnvFile(join(folder, 'no.env'))).rejects.toThrow('There is no')
    mkdirSync(join(folder, 'folder.env'))
    await expect(readEnvFile(join(folder, 'folder.env'))).rejects.toThrow('not a regular file')
    await expect(readEnvFile(aFile(Buffer.alloc(1024 * 1024 + 1, 'a')).path)).rejects.toThrow('1 MB')
    await expect(readEnvFile(aFile(Buffer.from([0x41, 0xff, 0xfe])).path)).rejects.toThrow('not UTF-8')
  })

  it('not understood', async () => {
    await expect(readEnvFile(aFile('A=1\nLOCK_PROVIDER="redis\n').path)).rejects.toThrow('Line 2 of')
  })

  it.each(['LOCK_PROVIDER=redis REDIS_PASSWORD=hunter2', 'export A=hunter2 LOCK_PROVIDER=redis'])(
    'more than one setting in a line: %j is named by its number, and nothing of it is told',
    async line => {
      const { folder, path, read } = aFile(`A=1\n${line}\n`)
      const refusal = await preview(path, 'mysql').then(String, String)
      expect(refusal).toMatch(/Line 2 of .* names LOCK_PROVIDER in a way that Lockkeeper cannot parse/)
      expect(refusal).not.toContain('hunter2')
      await expect(change(path, 'mysql', 'any')).rejects.toThrow('Line 2 of')
      expect(read()).toBe(`A=1\n${line}\n`)
      expect(readdirSync(folder)).toEqual(['.env'])
    },
  )

  it.each(['A=1\nOPTS=-Xmx1g \\', 'A=1\nOPTS=-Xmx1g \\\n'])(
    'going on behind its last line, so that ours would belong to it: %j',
    async text => {
      const { path, read } = aFile(text)
      expect((await readEnvFile(path)).value).toBeNull()
      await expect(preview(path, 'mysql')).rejects.toThrow(/Line 2 of .* ends with a backslash/)
      const { digest } = await readEnvFile(path)
      await expect(change(path, 'mysql', digest)).rejects.toThrow('backslash')
      expect(read()).toBe(text)
    },
  )

  it('one of several hard links', async () => {
    const { folder, path, read } = aFile('LOCK_PROVIDER=redis\n')
    linkSync(path, join(folder, 'other.env'))
    const { digest } = await preview(path, 'mysql')
    await expect(change(path, 'mysql', digest)).rejects.toThrow('hard links')
    expect(read()).toBe('LOCK_PROVIDER=redis\n')
    expect(existsSync(join(folder, 'other.env'))).toBe(true)
  })
})
