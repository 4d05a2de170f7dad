import type { Client } from '../../../../shared/client.ts'
import type { StreamEvent } from '../../../../shared/contract.ts'
import type { SwitchRun } from '../../../../shared/switch.ts'
import { namedApart } from '../../../../shared/switch-words.ts'
import { CliError } from '../lib/exit.ts'

export type Told = StreamEvent<'switch.watch'>

/** Follows a switch: what was told last, and the next thing that is. */
export class SwitchFollower {
  readonly #close: () => void
  #last: Told | null = null
  #failure: CliError | null = null
  #wake = () => {}
  #changed: Promise<void>

  constructor(client: Client, switchId: string) {
    this.#changed = this.#next()
    this.#close = client.open(
      'switch.watch',
      { switchId },
      event => {
        this.#last = { ...event, run: namedApart(event.run) }
        this.#tell()
      },
      result => {
        if (!result.ok) this.#failure = new CliError(result.error)
        this.#tell()
      },
    )
  }

  get last(): Told | null {
    if (this.#failure) throw this.#failure
    return this.#last
  }

  /** What an answer said is newer than what the stream has told. */
  take(run: SwitchRun): void {
    if (this.#last) this.#last = { ...this.#last, run: namedApart(run) }
  }

  /** Resolves when something else is told. */
  get changed(): Promise<void> {
    return this.#changed
  }

  close(): void {
    this.#close()
  }

  #tell(): void {
    const wake = this.#wake
    this.#changed = this.#next()
    wake()
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
