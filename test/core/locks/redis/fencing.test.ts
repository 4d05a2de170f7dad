import { expect, it } from 'vitest'
import { account, lockPlace, never, openProvider, request, take } from './place.ts'

const COUNTER = 'lockkeeper:fencing'

it('gives every acquisition a greater number than all before, in every format', async () => {
  const place = await lockPlace()
  const numbers: number[] = []
  for (const format of ['recharge-json', 'pubsub-token', 'pipeline-run', 'flask-cache', 'token']) {
    const providers = [place.provider(format), place.provider(format)]
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, i) => take(providers[i % 2] as never, `t:${format}-${i}`)),
    )
    numbers.push(...taken.map(each => each.fencing ?? 0).sort((a, b) => a - b))
  }
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(Number.isSafeInteger(numbers.at(-1))).toBe(true)
  expect(await place.client.get(COUNTER)).toBe(String(numbers.at(-1)))
  expect(await place.client.pttl(COUNTER)).toBe(-1)
})

it('continues above the last number after the server’s clock was ahead, and above the clock after the counter was lost', async () => {
  const place = await lockPlace()
  const provider = place.provider('token')
  const ahead = 4_000_000_000_000_000
  await place.client.set(COUNTER, String(ahead))
  expect((await take(provider, 'a')).fencing).toBe(ahead + 1)
  expect((await take(provider, 'b')).fencing).toBe(ahead + 2)
  await place.client.del(COUNTER)
  const { fencing, acquiredAt } = await take(provider, 'c')
  expect(Math.floor((fencing ?? 0) / 1000)).toBe(acquiredAt)
})

it('draws no number for a refusal', async () => {
  const place = await lockPlace()
  const provider = place.provider('token')
  const { fencing } = await take(provider, 'job')
  expect((await provider.take('job', request(), never)).is).toBe('held')
  expect(await place.client.get(COUNTER)).toBe(String(fencing))
})

it.each(['9007199254740991', '99999999999999999', '1e3', '-5', 'nan', '0x10', ''])(
  'takes no lock with a number that nobody could trust: %s',
  async value => {
    const place = await lockPlace()
    const provider = place.provider('token')
    await place.client.set(COUNTER, value)
    await expect(provider.take('job', request(), never)).rejects.toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('fencing'),
    })
    expect(await place.client.exists('job')).toBe(0)
    await place.client.del(COUNTER)
    await place.client.rpush(COUNTER, 'x')
    await expect(provider.take('job', request(), never)).rejects.toMatchObject({ code: 'STORE_ERROR' })
  },
)

it('creates neither number nor counter when fencing is off', async () => {
  const place = await lockPlace()
  for (const format of ['recharge-json', 'token'])
    expect((await take(place.provider(format, { fencing: false }), 'job')).fencing).toBeNull()
  expect(await place.client.exists(COUNTER)).toBe(0)
})

it('grants locks without numbers to an account without the counter, unless numbers are required', async () => {
  const place = await lockPlace()
  const who = await account('~lockRecharge:*', '&*', '+@all')
  const address = place.address.replace('//', `//${who}@`)
  const provider = openProvider(address)
  const taken = await take(provider, 'job', request('me'))
  expect(taken).toMatchObject({ fencing: null, mark: expect.stringMatching(/^[0-9a-f]{16}$/) })
  expect(await provider.release('job', { owner: 'me', mark: taken.mark }, never)).toEqual({ is: 'released' })
  await expect(openProvider(address, { fencing: true }).take('job', request(), never)).rejects.toMatchObject({
    code: 'STORE_DENIED',
  })
})

it('is not a lock to the console, whatever pattern it reads', async () => {
  const place = await lockPlace()
  await take(place.provider('token'), 'job:1')
  await place.client.set('lockkeeper:fencing:{42}', '1700000000000000')
  for (const query of ['', '?match=*', '?format=token', '?format=recharge-json', '?format=pipeline-run']) {
    const { locks, unrecognised, companions } = await place.list(query)
    expect([...locks, ...unrecognised].map(each => each.key).filter(key => key !== 'job:1')).toEqual([])
    expect(companions).toBe(2)
  }
  expect(await place.detail(COUNTER, '?match=*')).toMatchObject({ lock: null, release: [] })
})

it('shows a record that only has the counter’s name', async () => {
  const place = await lockPlace()
  await place.client.set(COUNTER, 'not a number')
  await place.client.set('lockkeeper:fencing:x', '5')
  const { unrecognised } = await place.list()
  expect(unrecognised.map(each => each.key).sort()).toEqual([COUNTER])
})
