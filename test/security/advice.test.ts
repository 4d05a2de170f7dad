import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../source-files.ts'

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** Their programs are in node_modules, so npx runs those. */
const OURS = ['lockkeeper', ...Object.keys({ ...dependencies, ...devDependencies })]

/** The package that a command runs or installs. */
const RUN =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn) (?:exec|dlx|install|i|add|create|init))(?: -[\w=-]+)* ([@\w][\w./-]*)/g

function namedIn(text: string): string[] {
  return [...text.matchAll(RUN)].map(([, name = '']) => name).filter(name => !OURS.includes(name))
}

it('nothing that Lockkeeper ships or documents tells anyone to run a package of a stranger', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const read = files.filter(
    file => /\.(ts|tsx|mjs|md|json|html|yml)$/.test(file) && !/^test\/|-lock/.test(file),
  )
  expect(read.length).toBeGreaterThan(300)
  const found = read.flatMap(file =>
    namedIn(readFileSync(join(ROOT, file), 'utf8')).map(name => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

it('such advice is found', () => {
  expect(namedIn('run npx install-electron --no, or npm i -g left-pad')).toEqual([
    'install-electron',
    'left-pad',
  ])
  expect(namedIn('`npx vitest run FILE`, npm ci && npm start')).toEqual([])
})
