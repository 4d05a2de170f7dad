import { expect, test } from 'vitest'
import { aborted, StoreError, throwIfAborted, toFailure } from '../../../electron/core/lib/errors.ts'
import { AddressError } from '../../../shared/address.ts'
import { ERROR_CODES } from '../../../shared/error-codes.ts'
import { failureSchema } from '../../../shared/result.ts'

test.each(ERROR_CODES)('a store error keeps its code %s and its sentence', code => {
  expect(toFailure(new StoreError(code, 'It is so.'))).toEqual({ code, message: 'It is so.' })
})

test('a wrong address is bad input', () => {
  expect(toFailure(new AddressError('No host'))).toEqual({ code: 'BAD_INPUT', message: 'No host' })
})

const nameless = Object.assign(new Error('hunter2'), { name: Symbol('hunter2') })
const forged = Object.assign(new Error('hunter2'), { name: '\u001b[31mhunter2 said it' })
test.each<[string, unknown]>([
  ['an error', new Error('redis://u:hunter2@h')],
  ['a TypeError', new TypeError('hunter2')],
  ['an error whose name is no text', nameless],
  ['an error whose name is a sentence', forged],
  ['data that looks like a failure', { code: 'NOT_FOUND', message: 'hunter2' }],
  ['a text', 'hunter2'],
  ['null', null],
  ['nothing', undefined],
])('an unexpected %s is reported without its own message', (_, error) => {
  const failure = toFailure(error)
  expect(failureSchema.parse(failure)).toEqual(failure)
  expect(failure.code).toBe('INTERNAL')
  expect(failure.message).toMatch(/^Unexpected error in Lockkeeper( \(\w+\))?$/)
  expect(failure.message).not.toContain('hunter2')
})

test('an abort has its own error code', () => {
  const stop = new AbortController()
  expect(() => throwIfAborted(stop.signal)).not.toThrow()
  stop.abort()
  expect(() => throwIfAborted(stop.signal)).toThrow(StoreError)
  expect(toFailure(aborted())).toEqual({ code: 'ABORTED', message: 'Stopped on request' })
})
