import { chmodSync, chownSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TrustedKeys } from '../../electron/core/features/keys/trusted-keys.ts'
import { addLines, readPlan, writePlan } from '../../electron/core/features/plans/plan-text.ts'
import { InstallationKey } from '../../electron/core/files/installation-key.ts'
import { safeJson } from '../../shared/safe-text.ts'
import { openConsole, profile } from '../core/features/console.ts'
import { followPlan, trust } from '../core/features/plans/planning.ts'
import { redisPlace } from '../core/stores/redis/place.ts'
import { startScriptedRedis } from '../hostile/scripted-redis.ts'
import { operator } from '../hosts/cli/plans/plan-cli.ts'
import { dataFolder, startCli } from '../hosts/cli/run-cli.ts'

const STRANGER = 65_534
const isRoot = process.getuid?.() === 0

/** A console with a plan of two locks in Redis, of which a third is not in the plan, and the folder of an attacker. */
async function victim() {
  const { client, address } = await redisPlace()
  const take = (name: string) => client.set(`pipeline_lock:x:${name}`, `run-${name}`, 'EX', 900)
  for (const name of ['a', 'b']) await take(name)
  const c = openConsole(dataFolder(), {}, { plans: { comeBackMs: 20 } })
  const { storeId } = await c.ask('stores.add', { profile: profile({ address }) })
  const plan = await c.ask('plans.create', { storeIds: [storeId] })
  await take('other')
  const text = readFileSync(plan.file, 'utf8')
  const names = async () =>
    (await client.keys('*'))
      .map(key => key.slice(-1))
      .sort()
      .join('')
  const reader = openConsole(dataFolder(), {}, { plans: { comeBackMs: 20 } })
  await reader.ask('stores.add', { profile: profile({ address }) })
  const apply = async (console: typeof c, planId: string, ...confirm: string[]) =>
    console.ask('plans.apply', { planId, confirm, reason: 'stuck' })
  return { c, reader, client, address, storeId, plan, text, names, apply }
}

/** The plan with a change, signed again with the key of an attacker. */
async function signedByAttacker(text: string, change: (line: string) => string, folder = dataFolder()) {
  const own = openConsole(folder)
  const lines = text.split('\n').slice(0, -2)
  const [header = '', ...entries] = lines.map(change)
  const { lockkeeper: _, version: __, ...plan } = JSON.parse(header)
  const keys = new TrustedKeys(folder)
  const written = await writePlan(
    plan,
    entries.map(entry => JSON.parse(entry)),
    keys,
  )
  return { ...written, own, keys }
}

describe('a plan whose target was swapped', () => {
  const swap = (line: string) => line.replaceAll('pipeline_lock:x:b', 'pipeline_lock:x:other')

  it('is refused with the signature that it had', async () => {
    const { reader, c, text, names } = await victim()
    await trust(reader, c)
    await expect(reader.ask('plans.import', { text: swap(text) })).rejects.toThrow(
      'BAD_INPUT: The plan file was modified, so it is not used: make a new plan',
    )
    expect(await names()).toBe('abr')
  })

  it('is refused with a signature of somebody else, in his name or in that of its author', async () => {
    const { reader, c, text, plan } = await victim()
    await trust(reader, c)
    const forged = await signedByAttacker(text, swap)
    const { own } = await forged.own.ask('keys.list', {})
    await expect(reader.ask('plans.import', { text: forged.text })).rejects.toThrow(
      `REFUSED: This plan was made or changed by another installation of Lockkeeper, with the key ${own?.slice(0, 16)}…, which is not trusted here. It is not used. Run "lockkeeper keys" there, and "lockkeeper keys --trust NAME KEY" here with the key that it prints`,
    )
    const author = (await c.ask('keys.list', {})).own ?? ''
    const inItsName = forged.text.replace(own ?? '', author)
    await expect(reader.ask('plans.import', { text: inItsName })).rejects.toThrow('was modified')
    // In the file of the console that made it, too.
    writeFileSync(plan.file, inItsName)
    expect(await openConsole(c.folder).ask('plans.list', {})).toEqual([])
  })

  it('is refused with a signature of its author for another purpose, a truncated one, or none', async () => {
    const { reader, c, text } = await victim()
    await trust(reader, c)
    const forged = await signedByAttacker(text, swap)
    const { publicKey, sign } = await new InstallationKey(c.folder).publicSigner('audit')
    const lines = forged.text.split('\n').slice(0, -2).join('\n')
    const { state } = forged.signatures
    for (const last of [
      { signedBy: publicKey, signature: sign(state) },
      { signedBy: publicKey, signature: sign(state).slice(0, 64) },
      { signedBy: publicKey, signature: '' },
      { signedBy: publicKey },
      { frozen: state },
    ])
      await expect(reader.ask('plans.import', { text: `${lines}\n${safeJson(last)}\n` })).rejects.toThrow(
        'was modified',
      )
    await expect(reader.ask('plans.import', { text: `${lines}\n` })).rejects.toThrow('was modified')
  })

  it('is refused when its file is exchanged while a console has it open', async () => {
    const { c, storeId, plan, names, apply } = await victim()
    const other = await c.ask('plans.create', { storeIds: [storeId] })
    await c.ask('plans.exclude', {
      planId: other.planId,
      exclusions: [{ by: 'lock', value: '1' }],
      excluded: true,
    })
    renameSync(other.file, plan.file)
    await expect(apply(c, plan.planId, `Orders 2-${plan.code}`)).rejects.toThrow(
      'REFUSED: The plan file was replaced by another plan: open it again',
    )
    expect(await names()).toBe('abr')
  })
})

describe('an excluded lock', () => {
  async function excluded() {
    const v = await victim()
    const exclusions = [{ by: 'lock' as const, value: '1' }]
    const { planId } = v.plan
    const { code } = await v.c.ask('plans.exclude', { planId, exclusions, excluded: true })
    await v.c.ask('plans.exclude', {
      planId,
      exclusions: [{ by: 'holder', value: 'no one' }],
      excluded: true,
    })
    await trust(v.reader, v.c)
    return { ...v, code, lines: readFileSync(v.plan.file, 'utf8').split('\n') }
  }

  it('does not return when the line that excludes it is removed or reversed', async () => {
    const { reader, lines, names } = await excluded()
    const at = lines.findIndex(line => line.includes('"is":"exclude"'))
    for (const changed of [
      lines.toSpliced(at, 1),
      lines.toSpliced(at, 2),
      lines.with(at, lines[at]?.replace('"excluded":true', '"excluded":false') ?? ''),
    ])
      await expect(reader.ask('plans.import', { text: changed.join('\n') })).rejects.toThrow('was modified')
    expect(await names()).toBe('abr')
  })

  it('does not return when the end of the file is cut off: the confirmation is for what was shown', async () => {
    const { reader, lines, code, apply, plan, names } = await excluded()
    const at = lines.findIndex(line => line.includes('"is":"exclude"'))
    const cut = await reader.ask('plans.import', { text: `${lines.slice(0, at).join('\n')}\n` })
    expect(cut.progress.total).toBe(2)
    for (const confirm of [`Orders 1-${code}`, `Orders 2-${code}`])
      await expect(apply(reader, plan.planId, confirm)).rejects.toThrow(`"Orders 2-${cut.code}"`)
    expect(await names()).toBe('abr')
  })

  it('does not return by a line without a signature, or with one of a stranger', async () => {
    const { reader, lines, text, code, apply, plan, names, c } = await excluded()
    const include = (lines.find(line => line.includes('"is":"exclude"')) ?? '').replace(
      '"excluded":true',
      '"excluded":false',
    )
    const all = lines.join('\n')
    const { keys } = await signedByAttacker(text, line => line)
    const { signatures } = await readPlan(all, new TrustedKeys(c.folder))
    const added = await addLines(signatures, `${include}\n`, keys)
    await expect(reader.ask('plans.import', { text: all + added.text })).rejects.toThrow('not trusted here')
    const taken = await reader.ask('plans.import', { text: `${all}${include}\n` })
    expect(taken).toMatchObject({ code, progress: { total: 1 } })
    await apply(reader, plan.planId, `Orders 1-${code}`)
    await expect.poll(followPlan(reader, plan.planId).state).toBe('done')
    expect((await names()).length).toBe(2)
  })
})

describe('a plan of another installation', () => {
  it('is refused until its key is trusted, names its maker, and is refused again once it is forgotten', async () => {
    const { reader, c, text, apply, plan, names } = await victim()
    await expect(reader.ask('plans.import', { text })).rejects.toThrow('not trusted here')
    await trust(reader, c, 'ana')
    const { planId, maker } = await reader.ask('plans.import', { text })
    expect(maker).toBe('ana')
    expect(plan.maker).toBeNull()
    const other = openConsole(reader.folder)
    expect(await other.ask('plans.list', {})).toMatchObject([{ planId }])
    await reader.ask('keys.forget', { name: 'ana' })
    expect(await other.ask('plans.list', {})).toEqual([])
    await expect(apply(reader, planId, `Orders 2-${plan.code}`)).rejects.toThrow('not trusted here')
    expect(await names()).toBe('abr')
  })

  it('has the names and the rules that its stores have here, whatever it calls them', async () => {
    const { reader, text, address, apply, plan, names } = await victim()
    const renamed = await signedByAttacker(text, line => line.replace('"name":"Orders"', '"name":"staging"'))
    await trust(reader, renamed.own)
    const taken = await reader.ask('plans.import', { text: renamed.text })
    expect(taken.stores).toMatchObject([{ name: 'Orders', address }])
    await expect(apply(reader, plan.planId, `staging 2-${taken.code}`)).rejects.toThrow('"Orders 2-')
    const [store] = reader.list()?.stores ?? []
    await reader.ask('stores.setOpen', { storeId: store?.storeId ?? '', open: false })
    const [listed] = await reader.ask('plans.list', {})
    expect(listed?.stores).toMatchObject([{ name: `redis at ${address.replace('redis://', '')}` }])
    expect(await names()).toBe('abr')
  })
})

describe('on the command line', () => {
  it('a plan with a swapped address leads to no connection and sends no password', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    let connections = 0
    const stranger = createServer(socket => {
      connections++
      socket.destroy()
    })
    await new Promise<void>(resolve => stranger.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void stranger.close())
    const { port } = stranger.address() as { port: number }
    const o = operator({ LOCKKEEPER_PASSWORD: 'hunter2' })
    await o.run('release-all', address, '--plan', o.file(), '--watch', '0')
    const text = readFileSync(o.file(), 'utf8')
    const swap = (line: string) => line.replaceAll(address, `redis://127.0.0.1:${port}/0`)
    const forged = await signedByAttacker(text, swap)
    for (const changed of [swap(text), forged.text]) {
      writeFileSync(o.file(), changed)
      const refused = await o.apply(`redis at 127.0.0.1:${port}/0 1-${forged.contents.maker}`)
      expect(refused.stderr).toMatch(/modified|not trusted here/)
      expect([2, 6]).toContain(refused.code)
    }
    expect(connections).toBe(0)
  })

  it('the author of a plan gets no password for stores that its reader did not name', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const commands: string[] = []
    const port = await startScriptedRedis((name, words) => {
      commands.push([name, ...words].join(' '))
      return '-NOAUTH Authentication required.\r\n'
    })
    const author = `redis://127.0.0.1:${port}/0`
    const there = dataFolder()
    const o = operator({ LOCKKEEPER_PASSWORD: 'hunter2' })
    const plain = operator()
    await plain.plan(address)
    const swap = (line: string) => line.replaceAll(address, author)
    const { text, own } = await signedByAttacker(readFileSync(plain.file(), 'utf8'), swap, there)
    writeFileSync(o.file(), text, { mode: 0o600 })
    const { own: key } = await own.ask('keys.list', {})
    expect(await o.run('keys', '--trust', 'ben', key ?? '')).toMatchObject({ code: 0 })
    const shown = await o.apply('whatever 1-000000')
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining(`redis at 127.0.0.1:${port}`) })
    expect(commands).toEqual([])
    const [, confirm = ''] = /--confirm "(.+)"\n$/.exec(shown.stderr) ?? []
    expect(await o.apply(confirm)).toMatchObject({ code: 6 })
    expect(commands.join()).not.toMatch(/AUTH|hunter2/)
    expect(await o.apply(confirm, author)).toMatchObject({ code: 6 })
    expect(commands).toContain('AUTH hunter2')
  })

  it('a plan is confirmed by the name that its address has, whatever the file calls the store', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    await o.plan(address)
    const there = dataFolder()
    const name = `redis at ${address.replace('redis://', '')}`
    const renamed = await signedByAttacker(
      readFileSync(o.file(), 'utf8'),
      line => line.replace(`"name":"${name}"`, '"name":"staging"'),
      there,
    )
    writeFileSync(o.file(), renamed.text)
    const { own } = await renamed.own.ask('keys.list', {})
    expect(await o.run('keys', '--trust', 'ben', own ?? '')).toMatchObject({ code: 0 })
    const shown = await o.apply('staging 1')
    expect(shown).toMatchObject({ code: 2, stdout: '' })
    const [, confirm = ''] = /--confirm "(.+)"\n$/.exec(shown.stderr) ?? []
    expect(shown.stderr).toContain(`would release 1 lock in ${name}:`)
    expect(shown.stderr).toContain('  Signed by ben’s Lockkeeper\n')
    expect(confirm).toMatch(new RegExp(`^${name} 1-[0-9a-f]{6}$`))
    expect(await o.apply(confirm.replace(name, 'staging'))).toMatchObject({ code: 2 })
    expect(await client.get('lock:a')).toBe('token-a')
    expect(await o.apply(confirm)).toMatchObject({ code: 0 })
    expect(await client.exists('lock:a')).toBe(0)
    expect(o.audit()).toMatch(/"outcome":"begun".*"maker":"ben"/)
  })

  it.skipIf(!isRoot)('a plan file that others own or can write needs --accept-file', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const made = await o.run('release-all', address, '--plan', o.file(), '--watch', '0', '--json')
    const [confirm = ''] = made.json()['confirm'] as string[]
    chmodSync(o.file(), 0o666)
    expect(await o.apply(confirm)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        `can be written by other users (mode 666), so it is not used: run chmod go-w ${o.file()}, or add --accept-file to the command`,
      ),
    })
    chmodSync(o.file(), 0o600)
    chownSync(o.file(), STRANGER, STRANGER)
    expect(await o.apply(confirm)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        `belongs to another user (uid ${STRANGER}), so it is not used: make a copy that only you can write, and use that, or add --accept-file`,
      ),
    })
    expect(await client.get('lock:a')).toBe('token-a')
    expect(await o.apply(confirm, '--accept-file')).toMatchObject({ code: 0, stderr: '' })
    expect(await client.exists('lock:a')).toBe(0)
  })

  it.skipIf(!isRoot)('a plan file that this account cannot write is to be copied', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const made = await o.run('release-all', address, '--plan', o.file(), '--watch', '0', '--json')
    const [confirm = ''] = made.json()['confirm'] as string[]
    chmodSync(o.folder, 0o755)
    chmodSync(o.file(), 0o644)
    const data = dataFolder()
    chownSync(data, STRANGER, STRANGER)
    const { own = '' } = (await o.run('keys', '--json')).json()
    const env = { LOCKKEEPER_DATA_DIR: data }
    const stranger = { uid: STRANGER, gid: STRANGER }
    await startCli(['keys', '--trust', 'ana', String(own)], env, undefined, stranger).done
    const apply = (file: string, ...more: string[]) => {
      const args = ['release-all', '--apply', file, '--confirm', confirm, '--reason', 'test', ...more]
      return startCli(args, env, undefined, stranger).done
    }
    const copy = { code: 6, stderr: expect.stringContaining('in a folder of your own, and use that\n') }
    expect(await apply(o.file(), '--accept-file')).toMatchObject(copy)
    chownSync(o.file(), STRANGER + 1, STRANGER)
    expect(await apply(o.file())).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/not used: make a copy that only you can write, and use that\n$/),
    })
    // In a folder such as /tmp it could be locked.
    chmodSync(o.folder, 0o777)
    expect(await apply(o.file(), '--accept-file')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('This account cannot write the plan file'),
    })
    expect(await client.get('lock:a')).toBe('token-a')
  })

  it('a plan file is not read through a link', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    await o.plan(address)
    symlinkSync(o.file(), o.file('link'))
    const args = ['--confirm', 'x', '--reason', 'test']
    expect(await o.run('release-all', '--apply', o.file('link'), ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is a symbolic link: name the file that it leads to'),
    })
  })
})

it.skipIf(!isRoot)(
  'a plan of the data folder that others could have written is neither listed nor applied',
  async () => {
    const { c, plan, apply, names } = await victim()
    chownSync(plan.file, STRANGER, STRANGER)
    expect(await openConsole(c.folder).ask('plans.list', {})).toEqual([])
    // Here it is open already, and would be written to.
    await expect(apply(c, plan.planId, `Orders 2-${plan.code}`)).rejects.toThrow('belongs to another user')
    expect(await names()).toBe('abr')
  },
)
