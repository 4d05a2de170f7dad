import { expect, it } from 'vitest'
import { redisPlace } from './redis/place.ts'

const never = new AbortController().signal
const LONG = 100 * 1024

it('shows all of exactly the part that was cut, wherever it is in the record now', async () => {
  const { client, open } = await redisPlace()
  const store = await open()
  const members = ['a', 'b', 'c'].map(each => each.repeat(LONG))
  await client.sadd('members', ...members)
  const shown = (await store.inspect('members', never))?.raw ?? []
  expect(shown.map(({ label, size }) => [label, size])).toEqual(members.map(() => ['member', LONG]))
  const whole = async (digest = '') => {
    let text = ''
    for await (const piece of store.rawPart('members', digest, never)) text += piece.text
    return text
  }
  await client.srem('members', shown[0]?.text[0]?.repeat(LONG) ?? '')
  for (const { text, digest } of shown.slice(1))
    expect((await whole(digest)) === text[0]?.repeat(LONG)).toBe(true)
  await expect(whole(shown[0]?.digest)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'The record has changed; read it again',
  })
})
