/**
 * The rest after a pass is this many times as long as the pass, so that watching a large store takes a twentieth of a core at most;
 * but never longer than `LONGEST_REST_MS`, because an older view is not live.
 */
const REST_PER_PASS = 19
const LONGEST_REST_MS = 10_000
/** While the store tells what changes, it is read as a whole this much more rarely: only to find what was missed, and new places. */
const REST_PER_FOLLOWED_PASS = 500
const SHORTEST_FOLLOWED_REST_MS = 30_000
const LONGEST_FOLLOWED_REST_MS = 1_800_000

/** When a watcher reads the whole store. */
export class WatchSchedule {
  /** Whether the store tells what changes. */
  isFollowing = false
  #passAt = 0
  #mustStartOver = false

  get isPassDue(): boolean {
    return !this.isFollowing || this.#mustStartOver || performance.now() >= this.#passAt
  }

  /** Another pass is due at once, also after one that is under way. */
  startOver(): void {
    this.#mustStartOver = true
  }

  begin(): void {
    this.#mustStartOver = false
  }

  /** A complete pass took this long. */
  passed(tookMs: number): void {
    const restMs = Math.max(SHORTEST_FOLLOWED_REST_MS, REST_PER_FOLLOWED_PASS * tookMs)
    this.#passAt = performance.now() + Math.min(restMs, LONGEST_FOLLOWED_REST_MS)
  }

  /** The rest after a reading, of the whole store or of its changes, if screens want `wantedMs`. */
  restAfter(tookMs: number, wantedMs: number): number {
    if (this.isFollowing) return wantedMs
    return Math.max(wantedMs, Math.min(LONGEST_REST_MS, REST_PER_PASS * tookMs))
  }
}
