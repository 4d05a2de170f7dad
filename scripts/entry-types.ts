import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import type { Plugin } from 'vite'

type Options = { readonly root: string; readonly entries: readonly string[]; readonly out: string }

/** `await using` and signals, for programs that compile for an older target. */
const LIBRARIES = '/// <reference lib="esnext.disposable" />\n'

/**
 * Writes the type declarations of the entries that other programs import, and of the files they need, one file at a time: a type
 * inferred from another file fails the build.
 */
export function entryTypes({ root, entries, out }: Options): Plugin {
  return {
    name: 'entry-types',
    apply: 'build',
    applyToEnvironment: environment => environment.name === 'node',
    async closeBundle() {
      await rm(out, { recursive: true, force: true })
      const waiting = [...entries]
      const known = new Set(waiting)
      for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        const { code, errors } = isolatedDeclarationSync(file, await readFile(file, 'utf8'))
        const [problem] = errors
        if (problem)
          throw new Error(`The types of ${relative(root, file)} cannot be written: ${problem.message}`)
        const folder = dirname(file)
        for (const [, name = ''] of code.matchAll(/\bfrom\s+["'](\.[^"']*\.ts)["']/g)) {
          const needed = resolve(folder, name)
          if (!known.has(needed)) waiting.push(needed)
          known.add(needed)
        }
        const target = join(out, relative(root, file)).replace(/\.ts$/, '.d.ts')
        await mkdir(dirname(target), { recursive: true })
        await writeFile(target, LIBRARIES + code.replace(/(\bfrom\s+["']\.[^"']*)\.ts(["'])/g, '$1.js$2'))
      }
    },
  }
}
