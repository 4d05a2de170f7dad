/** One thing that must still be as it was seen. */
export type Guard =
  | { readonly check: 'value'; readonly key: Buffer; readonly equals: Buffer }
  /** The whole hash: these fields with these values, and no other. */
  | {
      readonly check: 'fields'
      readonly key: Buffer
      readonly equals: readonly (readonly [Buffer, Buffer])[]
    }
  | { readonly check: 'field'; readonly key: Buffer; readonly field: Buffer; readonly equals: Buffer }
  | { readonly check: 'score'; readonly key: Buffer; readonly member: Buffer; readonly equals: string }
  | { readonly check: 'member'; readonly key: Buffer; readonly member: Buffer }
  /** The first of a list; null for an empty or absent one. */
  | { readonly check: 'head'; readonly key: Buffer; readonly equals: Buffer | null }
  /** Ends when it was seen to end; null for "has no TTL". */
  | { readonly check: 'ends'; readonly key: Buffer; readonly endsAt: number | null }

export type Word = Buffer | string | number

/** The commands a release may be made of. The first argument is the key, or the channel of a publish. */
export type Command = readonly [
  (
    | 'DEL'
    | 'UNLINK'
    | 'HDEL'
    | 'ZREM'
    | 'SREM'
    | 'SET'
    | 'LPUSH'
    | 'LPOP'
    | 'PEXPIRE'
    | 'PEXPIREAT'
    | 'PUBLISH'
    | 'SPUBLISH'
  ),
  Word,
  ...Word[],
]

/**
 * What releasing a lock is, as data: if every guard holds, run every command, in one atomic step. Notifications come
 * first, so that a server that refuses to publish refuses before anything is deleted.
 */
export type RedisProgram = {
  readonly key: Buffer
  readonly guards: readonly Guard[]
  readonly commands: readonly Command[]
}
