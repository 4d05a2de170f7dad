import { describe, expect, it } from 'vitest'
import { bash } from '../bash.ts'
import { redisPlace } from '../core/stores/redis/place.ts'
import { runCli } from './run-cli.ts'

const TOKEN = '0f8fad5b-d9cb-469f-a165-70867728950e'

describe('the look at one lock', () => {
  it('ends with a line that releases it by the tools of the store, whatever its key and value', async () => {
    const { client, address } = await redisPlace()
    const key = "lock:it's $(id) \x1b[31m\u202e"
    await client.set(key, `${TOKEN}'\n`)
    const { stdout } = await runCli(['inspect', address, key])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    const line = stdout.split('The same with redis-cli\n  ')[1]
    expect((await runCli(['inspect', address, key, '--json'])).json()).toMatchObject({
      command: line?.trim(),
    })
    expect(bash(line?.trim())).toEqual({ out: 'released', problem: '' })
    expect(await client.exists(key)).toBe(0)
  })
})
