import { expect, it, onTestFinished } from 'vitest'
import { NEVER } from '../../../../electron/core/lib/timers.ts'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { startMariaDb } from '../../../servers/mariadb.ts'

it('two runs of MariaDB with the same host name, port, folder and server id are told apart', async () => {
  const server = await startMariaDb()
  onTestFinished(() => server.close())
  const idsOf = async () => {
    const store = await openStore(`mysql://root@127.0.0.1:${server.port}/mysql`, undefined)
    const ids = await store.serverIds(NEVER)
    await store.close()
    return ids
  }
  const first = await idsOf()
  expect(first).toHaveLength(1)
  expect(await idsOf()).toEqual(first)
  await server.kill()
  await server.revive()
  expect(await idsOf()).not.toEqual(first)
})
