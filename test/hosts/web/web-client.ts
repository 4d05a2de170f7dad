import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createCore } from '../../../electron/core/compose.ts'
import type { Core } from '../../../electron/core/dispatch.ts'
import { loadStaticFiles, type StaticFiles } from '../../../electron/hosts/http/static-files.ts'
import { createMetricsPage } from '../../../electron/hosts/metrics/server.ts'
import { startWebHost } from '../../../electron/hosts/web/host.ts'
import { type Client, createClient } from '../../../shared/client.ts'
import { dataFolder } from '../cli/run-cli.ts'

export type Answer = { status: number; headers: IncomingMessage['headers']; body: string }
export type Ask = {
  method?: string
  path: string
  headers?: Record<string, string | undefined>
  body?: string | undefined
}

/** One request, with whatever headers: a browser would not let us forge them. */
export function ask(port: number, { method = 'GET', path, headers = {}, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, setHost: false, agent: false })
    const all = { Host: `127.0.0.1:${port}`, ...headers }
    for (const [name, value] of Object.entries(all)) if (value !== undefined) sent.setHeader(name, value)
    sent.on('error', reject)
    sent.on('response', response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
      response.on('error', reject)
    })
    sent.end(body)
  })
}

/** A built page, small. */
export function somePage(): StaticFiles {
  const folder = mkdtempSync(join(tmpdir(), 'lockkeeper-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Lockkeeper</title>')
  writeFileSync(join(folder, 'assets', 'main-1.js'), 'export {}')
  return loadStaticFiles(folder)
}

export async function startHost(change: (core: Core) => Core = core => core, token?: string) {
  const core = change(createCore({ dataFolder: dataFolder() }))
  const logged: string[] = []
  const metrics = await createMetricsPage({ metrics: core.metrics, version: '0', keys: 0, token })
  const log = (line: string) => logged.push(line)
  const host = await startWebHost({ core, files: somePage(), metrics, port: 0, log })
  onTestFinished(async () => {
    await host.close()
    await core.close()
  })
  return { core, host, port: host.port, logged }
}

export async function letIn(host: { port: number; launchAddress(): string }): Promise<string> {
  const answer = await ask(host.port, { path: new URL(host.launchAddress()).pathname })
  return String(answer.headers['set-cookie']).split(';')[0] ?? ''
}

/** What the page does: events down, frames up. */
export function openScreen(
  port: number,
  cookie: string,
): Promise<{ screen: string; client: Client; response: IncomingMessage; close(): void }> {
  const origin = `http://127.0.0.1:${port}`
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}/events`, { headers: { Cookie: cookie }, agent: false })
    sent.on('error', reject)
    sent.on('response', response => {
      let screen = ''
      let rest = ''
      const client = createClient(frame => {
        // Acknowledgements may be on their way when the host closes.
        ask(port, {
          method: 'POST',
          path: `/frames?screen=${screen}`,
          headers: { Cookie: cookie, Origin: origin, 'Content-Type': 'application/json' },
          body: JSON.stringify(frame),
        }).catch(() => {})
      })
      response.on('error', () => {})
      response.setEncoding('utf8').on('data', chunk => {
        const events = `${rest}${chunk}`.split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1]
          if (data === undefined) continue
          if (!/^event: hello$/m.test(event)) client.receive(JSON.parse(data))
          else {
            screen = JSON.parse(data).screen
            resolve({ screen, client, response, close: () => sent.destroy() })
          }
        }
      })
    })
    sent.end()
  })
}
