import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf, importsOf, ROOT, SOURCES } from './source-files.ts'

/** Style sheet → the components that import it. */
const importers = new Map<string, string[]>()
for (const file of SOURCES)
  for (const name of importsOf(file).filter(each => each.endsWith('.module.css')))
    importers.set(name, [...(importers.get(name) ?? []), file])
const sheets = [...importers.keys()].sort()

function classesOf(sheet: string): string[] {
  const css = readFileSync(join(ROOT, sheet), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/:global\([^()]*\)/g, '')
  const selectors = css
    .split(/[{};]/)
    .filter((text, i, all) => i + 1 < all.length && css.includes(`${text}{`))
  return [
    ...new Set(
      selectors.flatMap(text => [...text.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name)),
    ),
  ]
}

function usesOf(sheet: string, file: string): string[] {
  const code = codeOf(file)
  const local = new RegExp(`import (\\w+) from '[./\\w-]*\\b${basename(sheet)}'`).exec(code)?.[1]
  return [...code.matchAll(new RegExp(`\\b${local}(\\.\\w+|\\[)`, 'g'))].map(
    ([, name = '']) => name.slice(1) || name,
  )
}

test.each(sheets)('%s has every class that its components use, and no other', sheet => {
  const uses = (importers.get(sheet) ?? []).flatMap(file => usesOf(sheet, file))
  expect([...new Set(uses)].sort()).toEqual(classesOf(sheet).sort())
})

test('style sheets have different names, because a class in the page is called by them', () => {
  const names = sheets.map(sheet => basename(sheet))
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

test('only tokens, base typography and the page before the start are global', () => {
  expect(readdirSync(join(ROOT, 'renderer/styles')).sort()).toEqual([
    'base.css',
    'before-start.css',
    'tokens.css',
  ])
  const base = readFileSync(join(ROOT, 'renderer/styles/base.css'), 'utf8')
  const globals = sheets.flatMap(sheet =>
    [...readFileSync(join(ROOT, sheet), 'utf8').matchAll(/:global\(\.([\w-]+)\)/g)].map(
      ([, name]) => `${name}`,
    ),
  )
  // The names that begin with u belong to uPlot.
  expect(globals.filter(name => !base.includes(`.${name} {`) && !/^(uplot$|u-)/.test(name))).toEqual([])
})
