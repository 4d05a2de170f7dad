import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../electron/core/compose.ts'
import { openSession } from '../../electron/core/dispatch.ts'
import { createMetricsPage, startMetricsServer } from '../../electron/hosts/metrics/server.ts'
import { metricsToken } from '../../electron/hosts/metrics/token.ts'
import { createClient } from '../../shared/client.ts'
import { redisPlace } from '../core/stores/redis/place.ts'
import { dataFolder } from '../hosts/cli/run-cli.ts'
import { findPrometheus } from '../servers/find-prometheus.mjs'
import { onFreePort, startProcess, temporaryFolder } from '../servers/process.ts'
import { rulesText } from './files.ts'

type Answer = { data: { result: { metric: Record<string, string>; value: [number, string] }[] } }

/** A real Prometheus that scrapes us every second, and does not wait before it raises an alert. */
async function startPrometheus(target: string, tokenFile: string) {
  const program = findPrometheus('prometheus')
  if (program === null) throw new Error('prometheus is not there; npm test gets it')
  const folder = await temporaryFolder('prometheus')
  writeFileSync(join(folder.path, 'rules.yml'), rulesText.replace(/for: \w+/g, 'for: 0s'))
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [
      {
        job_name: 'lockkeeper',
        authorization: { credentials_file: tokenFile },
        static_configs: [{ targets: [target] }],
      },
    ],
  }
  writeFileSync(join(folder.path, 'prometheus.yml'), JSON.stringify(config))
  const { server, url } = await onFreePort(async port => {
    const at = `http://127.0.0.1:${port}`
    const args = ['--config.file', 'prometheus.yml', '--storage.tsdb.path', 'data'].map(each =>
      each.startsWith('--') ? each : join(folder.path, each),
    )
    const listen = `--web.listen-address=127.0.0.1:${port}`
    const isReady = async () => (await fetch(`${at}/-/ready`)).ok
    return { server: await startProcess(program, [...args, listen], isReady), url: at }
  })
  onTestFinished(async () => {
    await server.stop('SIGKILL')
    await folder.remove()
  })
  return async (query: string) => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`)
    return ((await answer.json()) as Answer).data.result
  }
}

it('is scraped by a real Prometheus, whose alert fires for a leftover lock', async () => {
  const { client, address } = await redisPlace()
  const now = Date.now()
  const left = { lockId: 'VOZ_1', pid: 871, timestamp: now - 7_200_000, expiresAt: now - 3_600_000 }
  await client.set('lockRecharge:VOZ "quoted"\n', JSON.stringify(left))

  const folder = dataFolder()
  const core = createCore({ dataFolder: folder })
  onTestFinished(() => core.close())
  const wire = createClient(frame => session.receive(frame))
  const session = openSession(core, frame => wire.receive(frame))
  const opened = await wire.call('stores.open', { address })
  if (!opened.ok) throw new Error(opened.error.message)
  const { storeId } = opened.value
  wire.open(
    'locks.watch',
    { storeId, intervalMs: 200 },
    () => {},
    () => {},
  )
  const { token, file } = await metricsToken({}, folder)
  const page = await createMetricsPage({ metrics: core.metrics, version: '0', keys: 10, token })
  const server = await startMetricsServer({ page, port: 0, log: () => {} })
  onTestFinished(() => server.close())

  const ask = await startPrometheus(`127.0.0.1:${server.port}`, file ?? '')
  await expect
    .poll(async () => (await ask('lockkeeper_locks{state="expired"}')).map(({ value }) => value[1]))
    .toEqual(['1'])
  await expect
    .poll(async () => (await ask('ALERTS{alertstate="firing"}')).map(({ metric }) => metric['alertname']))
    .toEqual(['PossibleLockLeak'])
  const [aged] = await ask('lockkeeper_lock_age_seconds')
  expect(aged?.metric['key']).toBe('lockRecharge:VOZ "quoted"\\n')
  expect(Number(aged?.value[1])).toBeGreaterThan(7199)
})
