import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from './source-files.ts'

/**
 * Compiles one file with the options of a part, as if it stood there, and gives the compiler's complaints. It stands in a
 * folder of its own, laid out like ours, so that nothing is ever written beside the sources.
 */
async function compileIn(part: string, code: string): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), 'lockkeeper-compile-'))
  onTestFinished(() => rm(top, { recursive: true, force: true }))
  const folder = join(top, part)
  await mkdir(join(top, 'electron/core'), { recursive: true })
  await mkdir(folder, { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(top, 'node_modules'))
  await writeFile(join(top, 'electron/core/neighbour.ts'), 'export const neighbour = 1')
  await writeFile(join(folder, 'probe.ts'), code)
  const options = {
    extends: join(ROOT, part, 'tsconfig.json'),
    compilerOptions: { rootDir: folder, noEmit: true, typeRoots: [join(ROOT, 'node_modules/@types')] },
    include: ['probe.ts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return new Promise((done, failed) => {
    execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], (error, stdout) => {
      if (error && typeof error.code !== 'number') failed(error)
      else done(stdout)
    })
  })
}

const core = `import { neighbour } from '../electron/core/neighbour.ts'\nexport const x = neighbour`
test.each([
  [
    'shared',
    'a Node module',
    `import { readFileSync } from 'node:fs'\nexport const x = readFileSync`,
    /node:fs/,
  ],
  ['shared', 'a Node global', 'export const x = Buffer.alloc(1)', /'Buffer'/],
  ['shared', 'the screen', 'export const x = document.title', /'document'/],
  ['shared', 'the network', `export const x = fetch('http://h')`, /'fetch'/],
  ['shared', 'core', core, /TS6059|TS6307/],
  ['electron/core', 'the screen', 'export const x = document.title', /'document'/],
  ['electron/core', 'a window', 'export const x = window', /'window'/],
  ['electron/hosts', 'the screen', 'export const x = document.title', /'document'/],
  ['electron', 'the screen', 'export const x = document.title', /'document'/],
])('%s cannot use %s: it does not compile', async (part, _, code, complaint) => {
  expect(await compileIn(part, code)).toMatch(complaint)
})

test.each([
  ['shared', `import { z } from 'zod'\nexport const x: z.ZodString = z.string()`],
  [
    'electron/core',
    `import { readFileSync } from 'node:fs'\nexport const x: typeof readFileSync = readFileSync`,
  ],
])('what %s may use does compile, so that the refusals above mean something', async (part, code) => {
  expect(await compileIn(part, code)).toBe('')
})
