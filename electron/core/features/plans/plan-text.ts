import { createHash } from 'node:crypto'
import { z } from 'zod'
import { publicKeySchema } from '../../../../shared/keys.ts'
import {
  exclusionSchema,
  type PlanEntry,
  type PlanHeader,
  planEntrySchema,
  planHeaderSchema,
  planResultSchema,
} from '../../../../shared/plans.ts'
import { failureSchema } from '../../../../shared/result.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { parseJson } from '../../files/disk.ts'
import { eachYielding } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { hasSigned, type TrustedKeys } from '../keys/trusted-keys.ts'
import { digestOfLock } from './plan-code.ts'

/**
 * The text of a plan file: JSON lines with the header, one line per lock, a signature over both, then the journal. The lines of
 * each append end with a signature over all lines before it. Lines without one were never acted on, and count for nothing.
 */

const VERSION = 2
const firstLineSchema = planHeaderSchema.extend({
  lockkeeper: z.literal('plan'),
  version: z.literal(VERSION),
})
const unsignedSchema = z.object({ lockkeeper: z.literal('plan'), version: z.literal(1) })
const signatureSchema = z.object({
  signedBy: publicKeySchema,
  signature: z.string().regex(/^[0-9a-f]{128}$/),
})

const at = z.number()
const n = z.number().int().min(0)
const places = z.array(n)
const by = z.object({ user: z.string(), host: z.string(), pid: z.number() })
const results = z.array(z.object({ n, result: planResultSchema.nullable() }))
const troubles = z.array(z.object({ store: z.number(), error: failureSchema }))
const exclusions = z.array(exclusionSchema).max(100_000)
const journalLineSchema = z.discriminatedUnion('is', [
  z.object({ is: z.literal('exclude'), at, by, exclusions, excluded: z.boolean() }),
  /** `action` is its name in the audit log. */
  z.object({
    is: z.literal('apply'),
    at,
    by,
    action: z.string(),
    reason: z.string(),
    rate: z.number().nullable(),
  }),
  /** Before an attempt. Without a result, its outcome is unknown. */
  z.object({ is: z.literal('try'), at, places }),
  z.object({ is: z.literal('results'), results }),
  z.object({ is: z.literal('returned'), at, places }),
  /** `troubles` is why the run ended early. */
  z.object({ is: z.literal('end'), at, troubles }),
])
export type JournalLine = z.infer<typeof journalLineSchema>

/** What a plan would act on, and what was done with it. */
export type PlanContents = {
  readonly header: PlanHeader
  readonly entries: readonly PlanEntry[]
  /** Of each lock. */
  readonly digests: readonly number[]
  readonly journal: readonly JournalLine[]
  /** The name that the installation that made it is trusted by; null for this one. */
  readonly maker: string | null
}

/** How far a plan file is signed. */
export type PlanSignatures = {
  /** Of the header and the locks. */
  readonly frozen: string
  /** Of all signed lines. */
  readonly state: string
  /** All who have signed some of it. */
  readonly signers: readonly string[]
  /** Bytes up to the last signature. */
  readonly length: number
}

export type PlanText = {
  readonly text: string
  readonly contents: PlanContents
  readonly signatures: PlanSignatures
}

const NOTHING_YET: PlanSignatures = { frozen: '', state: `plan ${VERSION}`, signers: [], length: 0 }

/** A new plan, signed by this installation. */
export async function writePlan(
  header: PlanHeader,
  entries: readonly PlanEntry[],
  keys: TrustedKeys,
): Promise<PlanText> {
  const lines = [`${safeJson({ lockkeeper: 'plan', version: VERSION, ...header })}\n`]
  const digests: number[] = []
  await eachYielding(entries, entry => {
    lines.push(`${safeJson(entry)}\n`)
    digests.push(digestOfLock(header, entry))
  })
  const { text, signatures } = await addLines(NOTHING_YET, lines.join(''), keys)
  return {
    text,
    contents: { header, entries, digests, journal: [], maker: null },
    signatures: { ...signatures, frozen: signatures.state },
  }
}

/** Lines to append to a plan file, with a signature of this installation at their end. */
export async function addLines(before: PlanSignatures, lines: string, keys: TrustedKeys) {
  const { publicKey, sign } = await keys.signer()
  const state = stateAfter(before.state, lines)
  const text = `${lines}${safeJson({ signedBy: publicKey, signature: sign(state) })}\n`
  const signers = [...new Set([...before.signers, publicKey])]
  const signatures = { ...before, state, signers, length: before.length + Buffer.byteLength(text) }
  return { text, signatures }
}

/** The state of a plan file after further lines: a digest of these, and of the state before. */
function stateAfter(state: string, lines: string): string {
  return createHash('sha256').update(`${state}\n${lines}`).digest('hex')
}

/** Whether some of these lines are followed by a signature. */
export function isSigned(lines: string): boolean {
  return lines.split('\n').some(line => signatureSchema.safeParse(parseJson(line)).success)
}

/**
 * Refuses another kind of file, a plan of an installation that is not trusted, and an edited one: exactly what was reviewed is
 * released.
 */
export async function readPlan(text: string, keys: TrustedKeys): Promise<PlanText> {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  lines.pop()
  const header = readHeader(lines[0] ?? '')
  const { entries, digests } = await readEntries(header, lines)
  const { journal, signed, length } = await readJournal(lines, 1 + header.count)
  const [first] = signed
  if (first === undefined) throw modified()
  const signers = [...new Set(signed.map(({ signedBy }) => signedBy))]
  const [maker = null] = await keys.namesOf(signers)
  // A signature covers all lines before it, so that only the last one of each signer in a row is needed.
  for (const [i, { signedBy, signature, state }] of signed.entries())
    if (signed[i + 1]?.signedBy !== signedBy && !hasSigned(signedBy, state, signature)) throw modified()
  const { state } = signed.at(-1) ?? first
  return {
    text,
    contents: { header, entries, digests, journal, maker },
    signatures: {
      frozen: first.state,
      state,
      signers,
      length: Buffer.byteLength(text.slice(0, length)),
    },
  }
}

function readHeader(line: string): PlanHeader {
  const value = parseJson(line)
  const first = firstLineSchema.safeParse(value)
  if (!first.success)
    throw new StoreError(
      'BAD_INPUT',
      unsignedSchema.safeParse(value).success
        ? 'This plan was made by an earlier version of Lockkeeper and is not signed, so it is not used: make a new plan'
        : 'This is not a plan file that this version can read',
    )
  const { lockkeeper: _, version: __, ...header } = first.data
  return header
}

async function readEntries(header: PlanHeader, lines: readonly string[]) {
  const entries: PlanEntry[] = []
  const digests: number[] = []
  await eachYielding(lines.slice(1, 1 + header.count), line => {
    const { data } = planEntrySchema.safeParse(parseJson(line))
    if (data?.n !== entries.length || data.store >= header.stores.length) throw damaged(entries.length + 2)
    entries.push(data)
    digests.push(digestOfLock(header, data))
  })
  return { entries, digests }
}

/** The signatures with the state of the file at each, and the lines of the journal that are signed. */
async function readJournal(lines: readonly string[], start: number) {
  const signed: (z.infer<typeof signatureSchema> & { readonly state: string })[] = []
  const journal: JournalLine[] = []
  let unsigned = lines.slice(0, start)
  let values: unknown[] = []
  let { state } = NOTHING_YET
  let length = 0
  await eachYielding(lines.slice(start), (line, i) => {
    const value = parseJson(line)
    const signature = signatureSchema.safeParse(value)
    if (!signature.success) {
      if (signed.length === 0) throw modified()
      unsigned.push(line)
      values.push(value)
      return
    }
    for (const [k, each] of values.entries()) {
      const { data } = journalLineSchema.safeParse(each)
      if (!data) throw damaged(start + 1 + i - values.length + k)
      journal.push(data)
    }
    const text = unsigned.map(each => `${each}\n`).join('')
    state = stateAfter(state, text)
    length += text.length + line.length + 1
    signed.push({ ...signature.data, state })
    unsigned = []
    values = []
  })
  return { journal, signed, length }
}

function damaged(line: number): StoreError {
  return new StoreError(
    'BAD_INPUT',
    `The plan file is damaged in line ${line}, so it is not used: make a new plan`,
  )
}

function modified(): StoreError {
  return new StoreError('BAD_INPUT', 'The plan file was modified, so it is not used: make a new plan')
}
