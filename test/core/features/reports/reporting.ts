import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import { type ReportDocument, reportDocumentSchema } from '../../../../shared/report-document.ts'
import type { ReportEvent, ReportRequest } from '../../../../shared/reports.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { openConsole } from '../console.ts'

type Console = ReturnType<typeof openConsole>

export type Written = {
  readonly text: string
  readonly events: readonly ReportEvent[]
  readonly done: Extract<ReportEvent, { type: 'done' }> | undefined
}

/** All that a report comes to. Fails with the code in front, as `ask` does. */
export function writeReport({ client }: Console, request: Partial<ReportRequest> = {}): Promise<Written> {
  const now = Date.now()
  const events: ReportEvent[] = []
  return new Promise((resolve, reject) => {
    client.open(
      'reports.write',
      { as: 'json', from: now - 3_600_000, to: now, ...request },
      event => events.push(event),
      result => {
        if (!result.ok) reject(new Error(`${result.error.code}: ${result.error.message}`))
        const text = events.map(event => (event.type === 'piece' ? event.text : '')).join('')
        resolve({ text, events, done: events.find(event => event.type === 'done') })
      },
    )
  })
}

/** The report as programs read it: it is what the schema says, to the last member. */
export async function readReport(
  console: Console,
  request: Partial<ReportRequest> = {},
): Promise<ReportDocument> {
  const { text } = await writeReport(console, { ...request, as: 'json' })
  const parsed: unknown = JSON.parse(text)
  const document = reportDocumentSchema.parse(parsed)
  // Members that the schema does not know would be gone.
  expect(document).toEqual(parsed)
  return document
}

/** A store of its own, in this process. */
export function memoryPlace() {
  const name = `report-${randomUUID()}`
  const server = memoryServer(name)
  return {
    server,
    address: `memory:${name}`,
    take(pipeline: string, run = 'run-1', lockedAt?: number): void {
      server.records.delete(`acme:${pipeline}`)
      const lock = {
        tenant_id: 'acme',
        pipeline_id: pipeline,
        pipeline_logging_id: run,
        locked_by: 'scheduler',
      }
      acquirePipeline(server, lock, lockedAt)
    },
    drop: (pipeline: string) => server.records.delete(`acme:${pipeline}`),
  }
}

/** A console that has read all its stores once. */
export async function watching(...addresses: string[]): Promise<Console> {
  const console = openConsole(dataFolder(), { stores: addresses }, { version: '1.2.3' })
  await expect
    .poll(async () => {
      const { stores } = await console.ask('stats.read', {})
      return stores.length === addresses.length && stores.every(({ status }) => status === 'live')
    })
    .toBe(true)
  return console
}
