import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { userIn } from '../../../electron/hosts/http/peer-user.ts'
import { letIn, openScreen, startHost } from '../web/web-client.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:15F9 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 900 1 0 100 0 0 10 0
   1: 0100007F:15F9 0100007F:B001 01 00000000:00000000 00:00000000 00000000  1000        0 901 1 0 20 4 30 10 -1
   2: 0100007F:B001 0100007F:15F9 01 00000000:00000000 00:00000000 00000000  1001        0 902 1 0 20 4 30 10 -1
   3: 0100007F:B002 0100007F:15F9 04 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
   4: 0000000000000000FFFF00000100007F:B003 0000000000000000FFFF00000100007F:15F9 01 00000000:00000000 00:00000000 00000000  1003        0 903 1 0 20 4 30 10 -1`

it.each([
  ['the side that connected', 0xb001, 1001],
  ['a connection that its program has closed', 0xb002, null],
  ['an IPv4 connection of an IPv6 socket', 0xb003, 1003],
  ['a connection that is not listed', 0xb004, null],
])('tells the user of %s', (_, port, user) => {
  expect(userIn(TABLE, port, 0x15f9)).toBe(user)
})

// Only root can become somebody else.
it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'another user of this machine gets nothing, not even with the secret of a session',
  async () => {
    const { host, port, logged } = await startHost()
    const session = await letIn(host)
    const url = `http://127.0.0.1:${port}/`
    const code = `fetch(process.argv[1], { headers: { authorization: process.argv[2] } })
      .then(answer => console.log(answer.status))`
    const statuses = async (uid: number) => {
      const said = await Promise.all(
        ['', 'icon.svg', 'events', 'launch'].map(path =>
          promisify(execFile)(process.execPath, ['-e', code, url + path, session], { uid }),
        ),
      )
      return said.map(({ stdout }) => stdout.trim())
    }
    expect(await statuses(65_534)).toEqual(['403', '403', '403', '403'])
    expect(logged).toContain('refused GET /events: the connection belongs to another user (uid 65534)')
    const { close } = await openScreen(port, session)
    close()
  },
)

it.skipIf(process.platform !== 'linux')(
  'a connection from another loopback address gets nothing',
  async () => {
    const { port, logged } = await startHost()
    const status = await new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', localAddress: '127.0.0.2', port, path: '/icon.svg' })
      sent.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject)
      sent.end()
    })
    expect(status).toBe(403)
    expect(logged).toEqual(['refused GET /icon.svg: the system does not list who opened the connection'])
  },
)
