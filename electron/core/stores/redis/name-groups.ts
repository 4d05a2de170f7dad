/** Beyond these, names are grouped more coarsely. */
const MOST_NODES = 20_000
const MOST_PARTS = 10
/** Different words in one place of a name before they count as its variable part. */
const MOST_WORDS = 48
/** A word in this part of all names at its place stays a word. */
const COMMON = 1 / 20

/** A group is shown to be no place of locks by this many records without a lock. Then only one in so many is looked at. */
const ENOUGH = 1000
const SAMPLED = 100
/** The same for a group with hardly any locks: those are remembered, and new ones are found by and by. */
const RARE = 1 / 1000
const ENOUGH_OF_RARE = 10_000
const RARE_SAMPLED = 10
const MOST_REMEMBERED = 1000

/** Names that differ in their variable parts: `bull:*:lock`. */
export class NameGroup {
  /** In all passes, as the other counts. */
  #names = 0
  #asked = 0
  /** Of the records asked for. */
  locks = 0
  readonly #remembered = new Set<string>()
  #mergedInto: NameGroup | null = null

  constructor(readonly node: Node) {}

  /** Takes note of a record of this group. */
  learn(name: Buffer, isLock: boolean): void {
    if (this.#mergedInto) {
      this.#mergedInto.learn(name, isLock)
      return
    }
    const text = name.toString('latin1')
    if (!isLock) this.#remembered.delete(text)
    else if (!this.#remembered.has(text)) {
      this.locks++
      if (this.#remembered.size < MOST_REMEMBERED) this.#remembered.add(text)
    }
  }

  mergeInto(other: NameGroup): void {
    this.#mergedInto = other
    other.#names += this.#names
    other.#asked += this.#asked
    other.locks += this.locks
    for (const name of this.#remembered)
      if (other.#remembered.size < MOST_REMEMBERED) other.#remembered.add(name)
  }

  /** As a pattern for SCAN. */
  get pattern(): string {
    let pattern = ''
    for (let node: Node | null = this.node; node !== null; node = node.parent)
      pattern = `${node.isVariable ? node.part : escaped(node.part)}${pattern}`
    return pattern
  }

  /** What all its names begin with. */
  get prefix(): string {
    let prefix = ''
    for (let node: Node | null = this.node; node !== null; node = node.parent)
      prefix = node.isVariable ? '' : `${node.part}${prefix}`
    return prefix
  }

  /** Counts a name, and says whether to look at its record. */
  wants(name: Buffer): boolean {
    this.#names++
    if (this.locks === 0) {
      const isWanted = this.#asked < ENOUGH || this.#names % SAMPLED === 0
      if (isWanted) this.#asked++
      return isWanted
    }
    const isKnown = this.#remembered.has(name.toString('latin1'))
    // A known lock that is not in the sample says nothing of how rare locks are.
    if (this.#isRare() && this.#names % RARE_SAMPLED !== 0) return isKnown
    this.#asked++
    if (isKnown) this.locks++
    return true
  }

  #isRare(): boolean {
    const isRemembered = this.#remembered.size < MOST_REMEMBERED
    return isRemembered && this.#asked >= ENOUGH_OF_RARE && this.locks < this.#asked * RARE
  }
}

/** A part of names, up to and including a separator. */
class Node {
  readonly words = new Map<string, Node>()
  /** By their separators. */
  readonly variables = new Map<string, Node>()
  /** Of the names that went through here. */
  count = 0
  /** There were too many words: another one is variable. */
  isFull = false
  group: NameGroup | null = null

  constructor(
    public parent: Node | null,
    readonly part: string,
    readonly isVariable: boolean,
  ) {}
}

/**
 * Learns how the names of a store are built, from names in any order, and in bounded memory: which parts are words, and which are
 * variable.
 */
export class NameGroups {
  readonly #root = new Node(null, '', false)
  #nodes = 1

  get size(): number {
    return this.#nodes
  }

  groupOf(name: Buffer): NameGroup {
    const text = name.toString('latin1')
    let node = this.#root
    let start = 0
    for (let parts = 1; start < text.length; parts++) {
      node.count++
      // The rest of a name of many parts is one part.
      const end = parts < MOST_PARTS ? endOfPart(text, start) : text.length
      node = this.#next(node, text.slice(start, end))
      start = end
    }
    node.count++
    node.group ??= new NameGroup(node)
    return node.group
  }

  *groups(node = this.#root): Iterable<NameGroup> {
    if (node.group !== null) yield node.group
    for (const child of childrenOf(node)) yield* this.groups(child)
  }

  #next(node: Node, part: string): Node {
    const word = node.words.get(part)
    if (word) return word
    const isWord = !node.isFull && !isVariable(part) && this.#nodes < MOST_NODES
    if (isWord && node.words.size < MOST_WORDS)
      return this.#add(node.words, part, new Node(node, part, false))
    if (isWord) this.#merge(node)
    return this.#variable(node, part)
  }

  #variable(node: Node, part: string): Node {
    const ending = SEPARATES[part.charCodeAt(part.length - 1)] === 1 ? part.slice(-1) : ''
    const known = node.variables.get(ending)
    return known ?? this.#add(node.variables, ending, new Node(node, `*${ending}`, true))
  }

  #add(to: Map<string, Node>, key: string, node: Node): Node {
    to.set(key, node)
    this.#nodes++
    return node
  }

  /** Too many words in one place: all but the common ones are its variable part. */
  #merge(node: Node): void {
    node.isFull = true
    for (const [part, word] of node.words) {
      if (word.count > node.count * COMMON) continue
      node.words.delete(part)
      this.#absorb(this.#variable(node, part), word)
    }
  }

  #absorb(into: Node, from: Node): void {
    this.#nodes--
    into.count += from.count
    if (from.group !== null) {
      into.group ??= new NameGroup(into)
      from.group.mergeInto(into.group)
    }
    for (const kind of ['words', 'variables'] as const)
      for (const [key, child] of from[kind]) {
        const same = into[kind].get(key)
        if (same) this.#absorb(same, child)
        else {
          child.parent = into
          into[kind].set(key, child)
        }
      }
  }
}

function* childrenOf({ words, variables }: Node): Iterable<Node> {
  yield* words.values()
  yield* variables.values()
}

const SEPARATES = new Uint8Array(256)
for (const each of ':/.|#,;-_@{}[]()<> ') SEPARATES[each.charCodeAt(0)] = 1

function endOfPart(text: string, start: number): number {
  let end = start
  while (end < text.length && SEPARATES[text.charCodeAt(end)] !== 1) end++
  return Math.min(end + 1, text.length)
}

/** A number, or letters and digits in a mix that no programmer types. `v2`, `db0` and `shard12` are words. */
function isVariable(part: string): boolean {
  return /^\d/.test(part) || (part.length > 8 && /\d.*[a-z].*\d/i.test(part))
}

/** Characters with a meaning in a pattern. */
function escaped(part: string): string {
  return part.replace(/[*?[\]\\^]/g, '\\$&')
}
