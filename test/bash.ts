import { spawnSync } from 'node:child_process'

/** Runs a line as somebody who pasted it would. `input` is what is typed when it asks for something. */
export function bash(line: string | null | undefined, input = ''): { out: string; problem: string } {
  if (typeof line !== 'string') throw new Error('there is no line to run')
  if (/[\p{Cc}\p{Cf}]/u.test(line)) throw new Error('it is not one harmless line')
  const { stdout, stderr } = spawnSync('bash', ['-c', line], { input, encoding: 'utf8', timeout: 240_000 })
  return { out: stdout.trim(), problem: stderr.trim() }
}

/** The words that a shell makes of a line, without running it. */
export function wordsOf(line: string | null | undefined): string[] {
  return spawnSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'latin1' })
    .stdout.split('\0')
    .slice(0, -1)
    .map(word => Buffer.from(word, 'latin1').toString('utf8'))
}
