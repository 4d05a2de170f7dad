import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { CLI } from './run-cli.ts'

/** Somebody at a terminal, who answers what is asked. */
export function atTerminal(env: NodeJS.ProcessEnv, args: readonly string[]) {
  const line = [process.execPath, '--', CLI, ...args].map(word => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env, COLUMNS: '120' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  let read = 0
  child.stdout.setEncoding('utf8').on('data', text => {
    screen += text
  })
  const done = once(child, 'close').then(([code]) => code as number)
  return {
    done,
    /** Waits until this was shown, after what was waited for before. */
    async shows(text: string) {
      await expect.poll(() => screen.slice(read), { interval: 50 }).toContain(text)
      read = screen.indexOf(text, read) + text.length
    },
    types: (text: string) => child.stdin.write(text),
    screen: () => screen,
  }
}
