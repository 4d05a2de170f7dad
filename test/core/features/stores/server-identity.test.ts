import { expect, it } from 'vitest'
import { ServerIdentity } from '../../../../electron/core/features/stores/server-identity.ts'
import { StoreError } from '../../../../electron/core/lib/errors.ts'

const never = new AbortController().signal

/** A store whose servers answer as told. */
function identityOf(answer: () => Promise<readonly string[]>, freshMs?: number) {
  let asked = 0
  const serverIds = () => {
    asked++
    return answer()
  }
  const identity = new ServerIdentity({ address: 'redis://h', serverIds }, never, freshMs)
  return { identity, asked: () => asked }
}

it('asks once for all who wait, and again after a failure', async () => {
  let isDown = true
  const { identity, asked } = identityOf(async () => {
    if (isDown) throw new StoreError('STORE_UNREACHABLE', 'It is down')
    return ['redis 1']
  })
  const both = await Promise.allSettled([identity.ask(never), identity.ask(never)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([asked(), identity.ids]).toEqual([1, null])
  isDown = false
  expect(await identity.ask(never)).toEqual(['redis 1'])
  expect([asked(), identity.ids]).toEqual([2, ['redis 1']])
})

it('keeps the last answer of servers that do not answer, but does not take it for theirs', async () => {
  const answers = [Promise.resolve(['redis 1']), Promise.reject(new StoreError('STORE_UNREACHABLE', 'Down'))]
  const { identity } = identityOf(() => answers.shift() ?? Promise.resolve([]), 0)
  await identity.ask(never)
  await expect(identity.ask(never)).rejects.toThrow('Down')
  expect(identity.ids).toEqual(['redis 1'])
})
