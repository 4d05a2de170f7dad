import { describe, expect, it } from 'vitest'
import { bash } from '../../../bash.ts'
import { redisPlace } from '../../../core/stores/redis/place.ts'
import { runCli } from '../run-cli.ts'

const TOKEN = '0f8fad5b-d9cb-469f-a165-70867728950e'

describe('inspect', () => {
  it('ends with a command that releases a lock with any key and value by the tool of its store', async () => {
    const { client, address } = await redisPlace()
    const key = "lock:it's $(id) \x1b[31m\u202e"
    await client.set(key, `${TOKEN}'\n`)
    const { stdout } = await runCli(['inspect', address, key])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    const line = stdout.split('Equivalent command for redis-cli\n  ')[1]
    expect((await runCli(['inspect', address, key, '--json'])).json()).toMatchObject({
      command: line?.trim(),
    })
    expect(bash(line?.trim())).toEqual({ out: 'released', problem: '' })
    expect(await client.exists(key)).toBe(0)
  })

  it('starts with a sentence that escapes the hostile name of a holder, once', async () => {
    const { client, address } = await redisPlace()
    const value = {
      lockId: 'a\u001b[31m\u202e\n\\x1b',
      timestamp: Date.now() - 3_600_000,
      expiresAt: Date.now() - 60_000,
    }
    await client.set('lockRecharge:a', JSON.stringify(value))
    const [key, sentence] = (await runCli(['inspect', address, 'lockRecharge:a'])).stdout.split('\n')
    expect(key).toBe('lockRecharge:a')
    expect(sentence).toMatch(
      /^Held by a\\x1b\[31m\\u\{202e\}\\n\\\\x1b for 1 h 00 min; its lease ended 1 min 0\d s ago\.$/,
    )
  })

  it('marks parts that are only the start of their value, and counts the parts that are not shown', async () => {
    const { client, address } = await redisPlace()
    // So many parts that each is cut to less than a line.
    const fields = Array.from({ length: 600 }, (_, i) => [`f${i}`, '\u0001'.repeat(1000)])
    await client.hset('many', Object.fromEntries(fields))
    const { stdout } = await runCli(['inspect', address, 'many'])
    expect(stdout.match(/^ {2}(\\x01)+…$/gm)).toHaveLength(500)
    expect(stdout).toContain('and 100 more parts not shown')
    const cut = { size: 1000, digest: expect.stringMatching(/^[0-9a-f]{32}$/) }
    expect((await runCli(['inspect', address, 'many', '--json'])).json()).toMatchObject({
      raw: Array.from({ length: 500 }, () => cut),
      rawLeft: 100,
    })
  })
})
