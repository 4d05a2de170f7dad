import type { ChildProcess } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { dataFolder, runCli, startCli } from '../cli/run-cli.ts'
import { ask, letIn, openScreen } from '../web/web-client.ts'

const ADDRESS = /^Lockkeeper is at (http:\/\/127\.0\.0\.1:(\d+)\/launch#[\w-]{43})$/m

async function startConsole(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { child, done } = startCli(['console', '--port', '0', ...args], env)
  onTestFinished(() => void child.kill('SIGKILL'))
  const stdout = await printed(child, ADDRESS)
  const [, address = '', port = ''] = ADDRESS.exec(stdout) ?? []
  return { child, done, stdout, port: Number(port), launchAddress: () => address }
}

function printed(child: ChildProcess, words: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', chunk => {
      text += chunk
      if (words.test(text)) resolve(text)
    })
    child.once('close', () => reject(new Error(`It ended after: ${text}`)))
  })
}

it.each(['SIGINT', 'SIGTERM'] as const)('serves the console until %s', async signal => {
  const { child, done, port, launchAddress } = await startConsole(['--web'])
  const { client } = await openScreen(port, await letIn({ port, launchAddress }))
  expect(await client.call('formats.list', {})).toMatchObject({ ok: true })
  // With a page open that never ends by itself.
  child.kill(signal)
  const { code, stdout, stderr } = await done
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.match(/Lockkeeper is at/g)).toHaveLength(1)
  await expect(ask(port, { path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

it('says why there is no window before it prints the address', async () => {
  const none = { ELECTRON_OVERRIDE_DIST_PATH: '/nonexistent', DISPLAY: '', WAYLAND_DISPLAY: '' }
  const { child, done, stdout } = await startConsole([], none)
  expect(stdout).toMatch(
    /^(There is no display|Electron is not installed), so the console is served to your browser\.\nLockkeeper is at /,
  )
  child.kill('SIGINT')
  await done
})

it('logs refused requests on stderr', async () => {
  const { child, done, port } = await startConsole(['--web'])
  await ask(port, { path: '/', headers: { Host: 'evil.example' } })
  child.kill('SIGINT')
  expect((await done).stderr).toBe('lockkeeper: refused GET /: the Host is not ours\n')
})

it.each([
  [['--port', '99999'], {}, '--port must be'],
  [['--port', 'many'], {}, '--port must be'],
  [['--nonsense'], {}, 'Unknown option --nonsense.'],
  [['extra'], {}, 'Too many arguments; expected none'],
  [['--store', 'redis://:hunter2@localhost/0'], {}, 'An argument contains a password'],
  [['--store=redis://:hunter2@localhost/0'], {}, 'An argument contains a password'],
  [[], { LOCKKEEPER_STORES: 'redis://:hunter2@localhost:99999/0' }, 'from 1 to 65535'],
  [
    [],
    { LOCKKEEPER_STORES: 'redis://a/0 redis://b/0', LOCKKEEPER_PASSWORD: 'hunter2' },
    'LOCKKEEPER_PASSWORD_REDIS_AT_A for redis at a, LOCKKEEPER_PASSWORD_REDIS_AT_B for redis at b',
  ],
  [['--store', 'memory:a', '--store', 'hunter2'], {}, 'A store address starts with'],
  [[], { LOCKKEEPER_STORES: 'memory:a  hunter2' }, 'A store address starts with'],
  [['--env-file', '/nonexistent/hunter2'], {}, 'cannot be read (ENOENT)'],
  [[], { LOCKKEEPER_ENV_FILE: '/nonexistent/hunter2' }, 'cannot be read (ENOENT)'],
])('console %j with %j ends with one sentence before anything starts', async (args, env, words) => {
  const { code, stdout, stderr } = await runCli(['console', '--web', ...args], env)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^lockkeeper: [^\n]+\n$/)
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('hunter2')
})

it('reports a port in use', async () => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  expect(await runCli(['console', '--web', '--port', String(port)])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `lockkeeper: Port ${port} is in use; --port 0 takes any free port\n`,
  })
})

// As root there is no window to start.
it.skipIf(process.platform !== 'linux' || process.getuid?.() === 0)(
  'gives the window the addresses in its environment, and exits with its code',
  async () => {
    const folder = dataFolder()
    const told = join(folder, 'told')
    writeFileSync(
      join(folder, 'electron'),
      `#!/bin/sh\nprintf '%s|%s' "$*" "$LOCKKEEPER_STORES" > '${told}'\nexit 7\n`,
    )
    chmodSync(join(folder, 'electron'), 0o755)
    const env = { ELECTRON_OVERRIDE_DIST_PATH: folder, DISPLAY: ':1', LOCKKEEPER_STORES: 'memory:b' }
    expect((await runCli(['console', '--store', 'memory:a'], env)).code).toBe(7)
    const [args, stores] = readFileSync(told, 'utf8').split('|')
    expect(args).not.toContain('memory')
    expect(stores).toBe('memory:a memory:b')
  },
)
