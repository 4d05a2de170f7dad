import type { Client } from '../../../../shared/client.ts'
import type { StreamEvent } from '../../../../shared/contract.ts'
import type { SwitchRun } from '../../../../shared/switch.ts'
import { namedApart } from '../../../../shared/switch-words.ts'
import { CliError } from '../lib/exit.ts'

export type SwitchState = StreamEvent<'switch.watch'>

/** Follows a switch: its last state, and the next change. */
export class SwitchFollower {
  readonly #close: () => void
  #last: SwitchState | null = null
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
        this.#notify()
      },
      result => {
        if (!result.ok) this.#failure = new CliError(result.error)
        this.#notify()
      },
    )
  }

  get last(): SwitchState | null {
    if (this.#failure) throw this.#failure
    return this.#last
  }

  /** An answer is newer than the stream. */
  update(run: SwitchRun): void {
    if (this.#last) this.#last = { ...this.#last, run: namedApart(run) }
  }

  get changed(): Promise<void> {
    return this.#changed
  }

  close(): void {
    this.#close()
  }

  #notify(): void {
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
