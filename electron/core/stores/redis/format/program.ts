/** A condition that must still hold. */
export type Guard =
  /** A command's reply about a key: the value, a number, or null for a missing value. */
  | {
      readonly check: 'reply'
      readonly key: Buffer
      readonly ask: readonly [name: 'GET' | 'HLEN' | 'HGET' | 'LINDEX', ...args: Word[]]
      readonly equals: Buffer | number | null
    }
  /** The deadline, with a little slack; null for "has no TTL". */
  | { readonly check: 'ends'; readonly key: Buffer; readonly endsAt: number | null }

export type Word = Buffer | string | number

/** The commands of a release. The first argument is the key, or the channel of a publish. */
export type Command = readonly ['DEL' | 'LPUSH' | 'PEXPIRE' | 'PUBLISH' | 'SPUBLISH', Word, ...Word[]]

/** If every guard holds, every command runs, in one atomic step. Notifications come first: a refused one then deletes nothing. */
export type RedisProgram = {
  readonly key: Buffer
  readonly guards: readonly Guard[]
  readonly commands: readonly Command[]
}

/** Every key that the program compares or changes, once. The lock's own key is the first. */
export function keysOf({ key, guards, commands }: RedisProgram): Buffer[] {
  const keys = [key]
  const add = (word: Word) => {
    if (!keys.some(each => each === word || each.equals(toBuffer(word)))) keys.push(toBuffer(word))
  }
  for (const guard of guards) add(guard.key)
  for (const [name, first] of commands) if (!isPublish(name)) add(first)
  return keys
}

export function isPublish(command: string): boolean {
  return command === 'PUBLISH' || command === 'SPUBLISH'
}

export function toBuffer(word: Word): Buffer {
  return Buffer.isBuffer(word) ? word : Buffer.from(String(word))
}
