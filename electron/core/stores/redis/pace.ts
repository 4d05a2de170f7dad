/** What one command of ours may take of the server's only thread: other clients wait that long. */
const TARGET_MICROS = 150

/** How many keys one command is about, by the time that the server took for earlier ones. */
export class Pace {
  #microsPerKey: number

  constructor(
    readonly first: number,
    readonly most: number,
  ) {
    this.#microsPerKey = TARGET_MICROS / first
  }

  get keys(): number {
    return Math.max(1, Math.min(this.most, Math.floor(TARGET_MICROS / this.#microsPerKey)))
  }

  /** `micros` may be too many, if the server did something else in between: a single command says little. */
  took(micros: number, keys: number): void {
    if (keys < 1 || !(micros > 0)) return
    const latest = Math.min(micros / keys, this.#microsPerKey * 2)
    this.#microsPerKey = 0.8 * this.#microsPerKey + 0.2 * latest
  }
}
