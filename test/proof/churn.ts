import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A lock that will be in the plan, and what its holder does while the plan is applied. */
export type Planned = {
  readonly key: string
  readonly token: string
  readonly role: 'stays' | 'lets-go' | 'renews'
}

/** See churn.mjs. */
export type Books = {
  readonly letGo: readonly number[]
  readonly lost: readonly number[]
  readonly renewed: readonly number[]
  readonly notRenewed: readonly number[]
  readonly taken: number
  readonly kept: readonly { readonly key: string; readonly token: string }[]
  readonly wrongs: readonly string[]
  readonly operations: number
}

export type ChurnOptions = {
  /** Which of the *-client.mjs, and what it connects to. */
  readonly client: { readonly module: string } & Readonly<Record<string, unknown>>
  readonly processes: number
  /** At a time, in each process. */
  readonly workers: number
  /** Locks that the newcomers of one process hold to the end. */
  readonly keep: number
  /** Locks that holders let go and renew in one process before the plan is applied, and that newcomers take in all. */
  readonly atLeast: number
}

/** So many of every ten holders let go, and so many renew; all of them by tokens that nobody else has. */
export function planned(count: number, keyOf: (i: number) => string): Planned[] {
  const roles = ['lets-go', 'lets-go', 'lets-go', 'renews', 'renews'] as const
  return Array.from({ length: count }, (_, i) => ({
    key: keyOf(i),
    token: randomUUID(),
    role: roles[i % 10] ?? 'stays',
  }))
}

/** Starts other clients on these locks. They are at work when it returns; `stop` brings the books of all of them. */
export async function startChurn(
  locks: readonly Planned[],
  { processes, client, ...more }: ChurnOptions,
): Promise<{ stop: () => Promise<Books[]> }> {
  const locksFile = join(tmpdir(), `lockkeeper-churn-${randomUUID()}.json`)
  writeFileSync(locksFile, JSON.stringify(locks))
  const program = fileURLToPath(new URL('./churn.mjs', import.meta.url))
  const children = Array.from({ length: processes }, (_, mine) => {
    const config = { client, locksFile, mine, of: processes, ...more }
    const child = fork(program, [JSON.stringify(config)], { execArgv: [] })
    // They take all the time there is, but not the plan's.
    setPriority(child.pid ?? 0, 10)
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  })
  onTestFinished(() => rmSync(locksFile, { force: true }))
  const all = <T>(work: (child: (typeof children)[number]) => Promise<T>) => Promise.all(children.map(work))
  const tell = async (child: (typeof children)[number], what: string): Promise<unknown> => {
    const died = once(child, 'exit').then(([code]) => {
      throw new Error(`another client died (${code})`)
    })
    const answer = once(child, 'message')
    died.catch(() => {})
    child.send(what)
    const [message] = await Promise.race([answer, died])
    return message
  }
  await all(child => once(child, 'message'))
  await all(child => tell(child, 'go'))
  return { stop: async () => (await all(child => tell(child, 'stop'))) as Books[] }
}
