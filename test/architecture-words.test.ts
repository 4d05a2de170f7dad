import { expect, test } from 'vitest'
import { codeOf, SOURCES } from './source-files.ts'

const COMPONENTS = SOURCES.filter(file => file.startsWith('renderer/') && file.endsWith('.tsx'))

test('no component has words of its own: all are in the catalogue', () => {
  const found = COMPONENTS.flatMap(file => {
    const code = codeOf(file)
    // Words between tags, and words in the attributes that people hear or read.
    const texts = [
      ...code.matchAll(/>([^<>{}]*[A-Za-z]{2}[^<>{}]*)<\//g),
      ...code.matchAll(/(?:aria-label|title|placeholder|label|hint)="([^"]*[A-Za-z][^"]*)"/g),
    ]
    return texts
      .map(match => match[1] ?? '')
      .filter(text => !/[=;()]/.test(text))
      .map(text => `${file}: ${text.trim()}`)
  })
  expect(found).toEqual([])
  expect(COMPONENTS.length).toBeGreaterThan(15)
})

test('nothing on the screen is made from markup', () => {
  const users = SOURCES.filter(file => file.startsWith('renderer/')).filter(file =>
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(
      codeOf(file),
    ),
  )
  expect(users).toEqual([])
})
