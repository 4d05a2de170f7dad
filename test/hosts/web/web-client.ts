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

export const IDLE_MS = 3_600_000

export async function startHost(
  change: (core: Core) => Core = core => core,
  token = 'the token of the metrics',
) {
  const core = change(createCore({ dataFolder: dataFolder() }))
  const logged: string[] = []
  const metrics = await createMetricsPage({ metrics: core.metrics, version: '0', keys: 0, token })
  const log = (line: string) => logged.push(line)
  const host = await startWebHost({ core, files: somePage(), metrics, idleMs: IDLE_MS, port: 0, log })
  onTestFinished(async () => {
    await host.close()
    await core.close()
  })
  return { core, host, port: host.port, logged }
}

/** Exchanges a launch address as the page does, and returns the Authorization of the session. */
export async function letIn(host: { port: number; launchAddress(): string }): Promise<string> {
  const { status, body } = await exchange(host.port, launchToken(host))
  return status === 200 ? `Bearer ${JSON.parse(body).session}` : ''
}

export function launchToken(host: { launchAddress(): string }): string {
  return new URL(host.launchAddress()).hash.slice(1)
}

export function exchange(port: number, token: string): Promise<Answer> {
  return ask(port, {
    method: 'POST',
    path: '/session',
    headers: { Origin: `http://127.0.0.1:${port}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  })
}

/** What the page does: lines of frames down, posted frames up. */
export function openScreen(
  port: number,
  authorization: string,
): Promise<{ screen: string; client: Client; response: IncomingMessage; close(): void }> {
  const origin = `http://127.0.0.1:${port}`
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}/events`, { headers: { authorization }, agent: false })
    sent.on('error', reject)
    sent.on('response', response => {
      if (response.statusCode !== 200) {
        response.resume()
        reject(new Error(`The answer is ${response.statusCode}`))
        return
      }
      let screen = ''
      let rest = ''
      const client = createClient(frame => {
        // Acknowledgements may be on their way when the host closes.
        ask(port, {
          method: 'POST',
          path: `/frames?screen=${screen}`,
          headers: { authorization, Origin: origin, 'Content-Type': 'application/json' },
          body: JSON.stringify(frame),
        }).catch(() => {})
      })
      response.on('error', () => {})
      response.setEncoding('utf8').on('data', chunk => {
        const lines = `${rest}${chunk}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines.filter(each => each !== '')) {
          if (screen !== '') client.receive(JSON.parse(line))
          else {
            screen = JSON.parse(line).screen
            resolve({ screen, client, response, close: () => sent.destroy() })
          }
        }
      })
    })
    sent.end()
  })
}
