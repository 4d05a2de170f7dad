import { expect, it } from 'vitest'
import { crashReport } from '../../../electron/core/lib/crash-report.ts'

const SECRET = 'correct horse 42'

it('a crash report names the kind of the error and the code that threw it', () => {
  const [first, ...frames] = crashReport(new TypeError(SECRET)).split('\n')
  expect(first).toBe('Unexpected error in Lockkeeper (TypeError)')
  expect(frames[0]).toMatch(/^ {4}at .*crash-report\.test\.ts/)
  expect(frames.length).toBeLessThanOrEqual(10)
})

const renamed = Object.assign(new Error(`${SECRET}\n    at ${SECRET} (/etc/passwd:1:1)`), { message: 'fine' })
const forged = Object.assign(new Error('fine'), { name: `${SECRET}\u001b[31m` })
const withRequest = Object.assign(new Error('fine', { cause: new Error(SECRET) }), { command: [SECRET] })

it.each<[string, unknown]>([
  ['its message', new Error(`${SECRET}: ${SECRET}`)],
  ['lines of its message that look like code', new Error(`x\n    at ${SECRET} (/etc/passwd:1:1)`)],
  ['a message that was replaced since', renamed],
  ['its name', forged],
  ['its cause and its request', withRequest],
  ['a thrown text', SECRET],
  ['a thrown object', { message: SECRET, stack: `${SECRET}\n    at x` }],
])('a crash report does not repeat %s', (_, error) => {
  expect(crashReport(error)).toMatch(/^Unexpected error in Lockkeeper/)
  expect(crashReport(error)).not.toContain(SECRET)
  expect(crashReport(error)).not.toContain('\u001b')
})

it.each([null, undefined, 7])('a crash report of %j is one line', error => {
  expect(crashReport(error)).toMatch(/^Unexpected error in Lockkeeper \(\w+\)$/)
})
