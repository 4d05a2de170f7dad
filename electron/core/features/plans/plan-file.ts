import { createHash } from 'node:crypto'
import { type FileHandle, readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
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
import { codeOf, createFile, openToAppend, parseJson } from '../../files/disk.ts'
import { eachYielding, WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'

/**
 * A plan as an append-only file of JSON lines: the header, one line per lock, a digest over both, then the journal. A line is
 * on disk before the change it announces. A process that dies leaves at most one partial line.
 */

const firstLineSchema = planHeaderSchema.extend({ lockkeeper: z.literal('plan'), version: z.literal(1) })
const frozenSchema = z.object({ frozen: z.string() })

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

export type PlanContents = Awaited<ReturnType<typeof readPlan>>

/** Refuses another kind of file, and an edited plan: exactly what was reviewed is released. */
export async function readPlan(text: string) {
  const length = text.lastIndexOf('\n') + 1
  const lines = text.slice(0, length).split('\n').slice(0, -1)
  const first = firstLineSchema.safeParse(parseJson(lines[0] ?? ''))
  if (!first.success) throw new StoreError('BAD_INPUT', 'This is not a plan file that this version can read')
  const { lockkeeper: _, version: __, ...header } = first.data
  const entries: PlanEntry[] = []
  await eachYielding(lines.slice(1, 1 + header.count), line => {
    const entry = planEntrySchema.safeParse(parseJson(line))
    if (!entry.success || entry.data.n !== entries.length || entry.data.store >= header.stores.length)
      throw damaged(entries.length + 2)
    entries.push(entry.data)
  })
  const frozen = frozenSchema.safeParse(parseJson(lines[1 + header.count] ?? ''))
  const reviewed = `${lines.slice(0, 1 + header.count).join('\n')}\n`
  if (!frozen.success || frozen.data.frozen !== digestOf(reviewed))
    throw new StoreError('BAD_INPUT', 'The plan file was modified, so it is not used: make a new plan')
  const journal: JournalLine[] = []
  await eachYielding(lines.slice(2 + header.count), (line, i) => {
    const entry = journalLineSchema.safeParse(withoutStrikes(parseJson(line)))
    if (!entry.success) throw damaged(i + 3 + header.count)
    journal.push(entry.data)
  })
  return {
    header,
    entries,
    journal,
    /** Of the header and the locks. */
    digest: frozen.data.frozen,
    /** Of the complete lines; a partial line may follow. */
    length: Buffer.byteLength(text.slice(0, length)),
  }
}

/** The file of one plan, for appending. */
export class PlanFile {
  readonly #queue = new WorkQueue()
  /** After our last write: another size means that another process has written. */
  #size: number
  /** The start of lines that failed to write and may be there in part. */
  #torn: number | null = null

  constructor(
    readonly path: string,
    /** A partial line after it is cut off before the next append. */
    length: number,
    /** Of the header and the locks. */
    readonly digest: string,
  ) {
    this.#size = length
  }

  static async create(path: string, header: PlanHeader, entries: readonly PlanEntry[]): Promise<PlanFile> {
    const lines = [safeJson({ lockkeeper: 'plan', version: 1, ...header })]
    await eachYielding(entries, entry => lines.push(safeJson(entry)))
    const text = `${lines.join('\n')}\n`
    const digest = digestOf(text)
    return PlanFile.keep(path, `${text}${safeJson({ frozen: digest })}\n`, digest)
  }

  /** Writes the text of a plan unchanged: rewritten, it would have another digest. */
  static async keep(path: string, text: string, digest: string): Promise<PlanFile> {
    await createFile(path, text, handle => handle.sync()).catch(failToWrite)
    return new PlanFile(path, Buffer.byteLength(text), digest)
  }

  static async read(path: string): Promise<{ file: PlanFile; contents: PlanContents }> {
    const text = await readFile(path, 'utf8').catch(error => {
      const code = codeOf(error)
      if (code === 'ENOENT') throw new StoreError('NOT_FOUND', 'This plan does not exist', { cause: error })
      throw new StoreError('BAD_INPUT', `The plan cannot be read (${code})`, { cause: error })
    })
    const contents = await readPlan(text)
    return { file: new PlanFile(path, contents.length, contents.digest), contents }
  }

  /** Returns once the lines are on disk. */
  append(lines: readonly JournalLine[]): Promise<void> {
    const text = lines.map(line => `${safeJson(line)}\n`).join('')
    return this.#queue.run(async () => {
      const handle = await openToAppend(this.path, { create: false }).catch(failToWrite)
      try {
        const { size } = await handle.stat()
        // A partial line followed by others would make the whole plan unreadable.
        const end = this.#torn ?? (await wholeLines(handle, this.#size, size))
        if (end < size) await handle.truncate(end)
        this.#torn = end
        await handle.appendFile(text)
        await handle.datasync()
        this.#torn = null
        this.#size = end + Buffer.byteLength(text)
      } catch (error) {
        failToWrite(error)
      } finally {
        await handle.close().catch(failToWrite)
      }
    })
  }

  /** The content, if another process has written to the file. */
  async changed(): Promise<PlanContents | null> {
    const now = await stat(this.path).catch(() => null)
    if (now?.size === this.#size) return null
    const { contents } = await PlanFile.read(this.path)
    this.#size = contents.length
    return contents
  }
}

/** The end of the last complete line; `from` is the end of an earlier one. */
async function wholeLines(handle: FileHandle, from: number, size: number): Promise<number> {
  if (size <= from) return size
  const { buffer } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
  return from + buffer.lastIndexOf(0x0a) + 1
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The first plan files called an exclusion a strike. */
function withoutStrikes(line: unknown): unknown {
  if (typeof line !== 'object' || line === null || !('is' in line) || line.is !== 'strike') return line
  const { strikes, struck, ...rest } = line as Record<string, unknown>
  return { ...rest, is: 'exclude', exclusions: strikes, excluded: struck }
}

function damaged(line: number): StoreError {
  return new StoreError(
    'BAD_INPUT',
    `The plan file is damaged in line ${line}, so it is not used: make a new plan`,
  )
}

const REASONS: Record<string, string> = {
  EEXIST: 'a file with that name already exists',
  ENOENT: 'the folder does not exist',
  ELOOP: 'it is a symbolic link: name the file that it leads to',
}

function failToWrite(error: unknown): never {
  const code = codeOf(error)
  throw new StoreError('REFUSED', `The plan cannot be written (${REASONS[code] ?? code})`, { cause: error })
}
