import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['shared', 'electron', 'renderer', 'test', 'scripts']

/** Paths from the root, with forward slashes. */
export const FILES = FOLDERS.flatMap(folder => walk(join(ROOT, folder))).sort()
const texts = new Map(FILES.map(file => [file, readFileSync(join(ROOT, file), 'utf8')]))
export const SOURCES = FILES.filter(file => !file.startsWith('test/') && !file.startsWith('scripts/'))

function walk(folder: string): string[] {
  // A folder that is not there yet has no files; one that was moved is missed by the first test below.
  let entries: ReturnType<typeof list>
  try {
    entries = list(folder)
  } catch {
    return []
  }
  return entries.flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(path)
    return /\.(ts|tsx|mts|mjs|js)$/.test(entry.name) ? [relative(ROOT, path).replaceAll('\\', '/')] : []
  })
}

function list(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
}

export function textOf(file: string): string {
  return texts.get(file) ?? ''
}

/** The text without its comments, which may speak of what the code must not do. */
export function codeOf(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

/** What a file imports, types too: packages by their name, our own files by their path from the root. */
export function importsOf(file: string): string[] {
  const found = codeOf(file).matchAll(
    /(?:^|[;\n])\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"`]([^'"`]+)['"`]/g,
  )
  return [...found].map(match => match[1] ?? match[2] ?? '').map(name => where(file, name))
}

function where(file: string, name: string): string {
  if (!name.startsWith('.')) return name
  return relative(ROOT, resolve(ROOT, dirname(file), name)).replaceAll('\\', '/')
}
