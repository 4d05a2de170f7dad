import type {
  Input,
  MethodName,
  methods,
  Output,
  StreamEvent,
  StreamInput,
  StreamName,
} from '../../../shared/contract.ts'
import type { StoreRules } from '../../../shared/stores.ts'

/** One call of a method. The audit log knows it as `action`. */
export type Call = { readonly signal: AbortSignal; readonly action: string }

export type Facts = Readonly<Record<string, unknown>>

/** A store that a method is about to change, with what its operator decided about it and what this operator typed. */
export type StoreChange = {
  readonly store: {
    readonly name: string
    /** Of its place, once it is known which server that is. */
    readonly rules: () => Promise<StoreRules>
    /** Of its connection now; null for a host without a list of stores. */
    readonly revision: number | null
  }
  /** The connection through which the operator saw what is to be changed. */
  readonly revision?: number | undefined
  /** Null if its rules ask for no confirmation. */
  readonly confirmation: (rules: StoreRules) => Confirmation | null
}

export type Confirmation = {
  /** One of them must be among the texts that the operator typed. */
  readonly expected: readonly string[]
  readonly typed: readonly (string | undefined)[]
  /** The error if it is not, without its consequence. */
  readonly missing: string
  readonly reason: string | undefined
  /** The subject of the error if there is no reason: `A release in a production store`. */
  readonly subject: string
}

/** Records what was done so far, in case the rest fails. Never fails itself. */
export type Note = (facts: Facts) => Promise<void>

/** What a method with the effect `settings` is about to do. The dispatcher records it, applies it, and records the outcome. */
export type SettingsChange<T> = {
  /** What the audit log says of it before it happens. Null if there turns out to be nothing to change. */
  readonly facts: Facts | null
  /** It weakens a protection, or changes a file: it must not happen unless it can be recorded first. */
  readonly mustRecord?: boolean
  apply(note: Note): Promise<T>
  /** What the audit log says of the result; `done` unless there is more to say. */
  outcome?(value: T): Facts
}

/** What a method with the effect `write` is about to do. The dispatcher also checks the rules of the stores it changes. */
export type WriteChange<T> = {
  readonly facts: Facts
  stores(): readonly StoreChange[] | Promise<readonly StoreChange[]>
  apply(): Promise<T>
  outcome(value: T): Facts
}

type Answer<Effect, T> = Effect extends 'write'
  ? WriteChange<T> | Promise<WriteChange<T>>
  : Effect extends 'settings'
    ? SettingsChange<T> | Promise<SettingsChange<T>>
    : Promise<T>

/** A method that only reads answers; one that changes something says what, and leaves it to the dispatcher. */
export type Handlers = {
  readonly [M in MethodName]: (
    input: Input<M>,
    call: Call,
  ) => Answer<(typeof methods)[M]['effect'], Output<M>>
} & {
  readonly [S in StreamName]: (input: StreamInput<S>, signal: AbortSignal) => AsyncIterable<StreamEvent<S>>
}

/** What one capability contributes: the methods and streams with its name in front. */
export type HandlersOf<Capability extends string> = Pick<
  Handlers,
  Extract<keyof Handlers, `${Capability}.${string}`>
>
