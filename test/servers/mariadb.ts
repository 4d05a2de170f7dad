import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import { onFreePort, programPath, startProcess, temporaryFolder } from './process.ts'

export type MariaDbServer = {
  readonly port: number
  /** SIGKILL, as in a crash; the data stays. */
  kill(): Promise<void>
  /** Up again after a kill, on the same port with the same data. */
  revive(): Promise<void>
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** A private MariaDB in a temporary folder. `root` has no password. */
export async function startMariaDb(args: readonly string[] = []): Promise<MariaDbServer> {
  const folder = await temporaryFolder('mariadb')
  const user = userInfo().username
  await promisify(execFile)(programPath('mariadb-install-db'), [
    '--no-defaults',
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    `--user=${user}`,
    `--datadir=${folder.path}/data`,
    // MariaDB clears its temporary folder of leftovers: in a shared one, of another server that is just starting.
    `--tmpdir=${folder.path}`,
  ])
  const start = (port: number) =>
    startProcess(
      programPath('mariadbd'),
      [
        '--no-defaults',
        `--user=${user}`,
        `--datadir=${folder.path}/data`,
        `--tmpdir=${folder.path}`,
        `--socket=${join(folder.path, 'socket')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-log-bin',
        '--innodb-flush-log-at-trx-commit=2',
        '--innodb-buffer-pool-size=64M',
        ...args,
      ],
      () => isServedFrom(port, `${folder.path}/data`),
    )
  let { server, port } = await onFreePort(async port => ({ server: await start(port), port }))
  return {
    port,
    kill: () => server.stop('SIGKILL'),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    async revive() {
      server = await start(port)
    },
    async close() {
      await server.stop('SIGKILL')
      await folder.remove()
    },
  }
}

async function isServedFrom(port: number, folder: string): Promise<boolean> {
  const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' })
  const [rows] = await connection.query('SELECT @@datadir AS folder')
  await connection.end()
  return (rows as { folder: string }[])[0]?.folder.startsWith(folder) ?? false
}
