import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Client } from '../../shared/client.ts'
import type { StoreEntry } from '../../shared/stores.ts'
import { letIn, openScreen } from '../hosts/web/web-client.ts'

const OBSERVER = fileURLToPath(new URL('./observe-process.mjs', import.meta.url))
const SAMPLE_MS = 50
/** A console that takes more is ended: this machine has other work. */
const MOST_BYTES = 5 * 1024 ** 3
const ANSWER_MS = 30_000

/** The longest time for which a process stood still since it was asked last; null if it does not answer. */
async function stallOf(child: ChildProcess): Promise<number | null> {
  child.send('reset', () => {})
  const answer = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_MS) })
  return answer.then(
    ([{ stallMs }]) => stallMs as number,
    () => null,
  )
}

/** A process that does nothing: how long it stands still is what the machine costs any other. */
export class IdleProcess {
  readonly #child = spawn(process.execPath, ['--import', OBSERVER, '-e', 'setInterval(() => {}, 1e6)'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

  constructor() {
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  stallMs(): Promise<number | null> {
    return stallOf(this.#child)
  }
}

/** The built console of a checkout, in a process of its own, with a page that follows its list of stores. */
export class ConsoleProcess {
  /** The most memory that the process and its children had at once. */
  peakBytes = 0
  /** How it ended; null while it runs. */
  ended: string | null = null
  stores: readonly StoreEntry[] = []
  client!: Client
  readonly #child: ChildProcess
  readonly #sampling: NodeJS.Timeout

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#sampling = setInterval(() => this.#sample(), SAMPLE_MS)
    child.once('exit', (code, signal) => {
      clearInterval(this.#sampling)
      this.ended ??= `died (${signal ?? `code ${code}`})`
    })
  }

  static async start(tree: string, stores: readonly string[] = []): Promise<ConsoleProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'lockkeeper-bench-'))
    const cli = join(tree, 'dist/node/cli.js')
    const child = spawn(
      process.execPath,
      ['--import', OBSERVER, '--', cli, 'console', '--web', '--port', '0'],
      {
        stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
        env: {
          ...process.env,
          LOCKKEEPER_DATA_DIR: folder,
          LOCKKEEPER_STORES: stores.join(' '),
          AWS_ACCESS_KEY_ID: 'ours',
          AWS_SECRET_ACCESS_KEY: 'ours',
        },
      },
    )
    const console = new ConsoleProcess(child)
    onTestFinished(async () => {
      await console.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    const { stdout } = child
    if (!stdout) throw new Error('the console has no output')
    let address = ''
    for await (const line of createInterface({ input: stdout })) {
      address = /http:\S+/.exec(line)?.[0] ?? ''
      if (address !== '') break
    }
    stdout.resume()
    const port = Number(new URL(address).port)
    const session = await letIn({ port, launchAddress: () => address })
    console.client = (await openScreen(port, session)).client
    console.client.open(
      'stores.watch',
      {},
      event => {
        console.stores = event.stores
      },
      () => {},
    )
    return console
  }

  /** As `stallOf`, and null too if it is gone. */
  async stallMs(): Promise<number | null> {
    return this.ended === null ? stallOf(this.#child) : null
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  residentBytes(): number {
    return treeOf(this.pid).reduce((sum, pid) => sum + statusOf(pid, 'VmRSS'), 0)
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampling)
    if (this.ended !== null) return
    this.ended = 'stopped'
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  #sample(): void {
    const now = this.residentBytes()
    // The kernel's own high-water mark knows what came and went between two samples.
    this.peakBytes = Math.max(this.peakBytes, now, statusOf(this.pid, 'VmHWM'))
    if (now < MOST_BYTES || this.ended !== null) return
    this.ended = 'ended by us, before it took all memory'
    this.#child.kill('SIGKILL')
  }
}

/** A process and its children. */
function treeOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap(task =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return [pid, ...children.flatMap(treeOf)]
  } catch {
    return []
  }
}

/** Zero for a process that is gone. */
function statusOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
