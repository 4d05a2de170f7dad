import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parseAddress, textsOf } from '../../../shared/address.ts'
import { type Provider, type WorkPlace, workPlace } from '../../core/features/switch/work-places.ts'
import { startWorker, type Worker, type WorkerOptions } from './workers.ts'

/** An application with two places for its locks, one of which its settings name. */
export type Application = {
  readonly from: WorkPlace
  readonly to: WorkPlace
  /** Its file of settings, and what is in it at first. */
  readonly env: string
  readonly text: string
  start(name: string, options?: Omit<WorkerOptions, 'env'>): Promise<Worker>
  /** One that was forgotten: its settings are as they were at first, whatever becomes of the others'. */
  startWithOldSettings(name: string, options?: Omit<WorkerOptions, 'env'>): Promise<Worker>
}

export async function application(from: Provider, to: Provider): Promise<Application> {
  const places = await Promise.all([workPlace(from), workPlace(to)])
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lockkeeper-app-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const text = settings(from, places)
  const env = join(folder, '.env')
  const old = join(folder, 'forgotten.env')
  for (const file of [env, old]) writeFileSync(file, text)
  return {
    ...{ from: places[0], to: places[1], env, text },
    start: (name, options) => startWorker(name, { ...options, env }),
    startWithOldSettings: (name, options) => startWorker(name, { ...options, env: old }),
  }
}

/** Written by hand over the years: what is not about the provider must stay as it is, spaces and all. */
function settings(provider: Provider, places: readonly WorkPlace[]): string {
  return [
    '# Ajustes de recargas: no compartir',
    'APP_SECRET="hunter2 = señal"  ',
    '',
    `LOCK_PROVIDER=${provider} # redis, mysql o dynamodb`,
    'LOCK_EXPIRATION_MINUTES=60',
    ...places.flatMap(({ address }) => connection(address)),
    "LAST_LINE='without an end'",
  ].join('\n')
}

function connection(address: string): string[] {
  const at = textsOf(parseAddress(address))
  const [host, port] = (at['hosts'] ?? '').split(':')
  switch (parseAddress(address).kind) {
    case 'redis':
      return [`REDIS_HOST=${host}`, `REDIS_PORT=${port}`, `REDIS_DB=${at['db']}`]
    case 'mysql':
      return [
        ...[`MYSQL_HOST=${host}`, `MYSQL_PORT=${port}`],
        ...[`MYSQL_DATABASE=${at['database']}`, `MYSQL_USER=${at['username']}`],
      ]
    case 'dynamodb':
      return [
        ...[
          `DYNAMODB_LOCK_TABLE=${at['table']}`,
          `AWS_REGION=${at['region']}`,
          `DYNAMODB_ENDPOINT=${at['endpoint']}`,
        ],
        ...['AWS_ACCESS_KEY_ID=tests', 'AWS_SECRET_ACCESS_KEY=tests'],
      ]
    default:
      return []
  }
}
