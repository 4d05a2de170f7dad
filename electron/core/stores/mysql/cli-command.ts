import { commandLine, shellQuote } from '../../lib/shell-quote.ts'
import type { MysqlAddress } from './address.ts'
import { SESSION_SETUP } from './connect.ts'
import type { MysqlProgram } from './format/table.ts'
import { exactSql, releaseStatement } from './sql.ts'

/** The check of the store itself before it writes: the server lets an administrator change a read-only replica. */
const ON_A_PRIMARY = "CAST(@@global.read_only AS CHAR) IN ('0', 'OFF')"

const OUTCOME =
  "SELECT IF(ROW_COUNT() > 0, 'released', 'nothing was done: the lock changed, is gone or free, or the server is read-only') AS outcome"

/** The release as one line for the mysql client, in the same session: the text of a time depends on the zone. Null if there is none. */
export function mysqlCommand(address: MysqlAddress, program: MysqlProgram): string | null {
  // The client checks no other name than that of the host.
  if (address.servername !== null) return null
  const { text, values } = releaseStatement(program)
  const statements = [
    ...SESSION_SETUP.map(sql => sql.replace(/\s+/g, ' ')),
    exactSql({ text: `${text} AND ${ON_A_PRIMARY}`, values }),
    OUTCOME,
  ]
  return commandLine([
    // TCP, because the client takes `localhost` for a socket otherwise, which may be another server's.
    `mysql --protocol=TCP -h ${shellQuote(address.host)} -P ${address.port}`,
    ...(address.username === null ? [] : [`-u ${shellQuote(address.username)}`]),
    // Prompted for, never written: the shell keeps a history.
    ...(address.password === null ? [] : ['-p']),
    ...(address.tls ? tlsWords(address) : []),
    ...(address.allowPublicKeyRetrieval ? ['--loose-get-server-public-key'] : []),
    `--default-character-set=utf8mb4 -e ${shellQuote(statements.join('; '))}`,
    `-- ${shellQuote(address.database)}`,
  ])
}

/** MySQL and MariaDB verify the server's name by different options, and each ignores the other's loose one. */
function tlsWords({ ca, cert, key }: MysqlAddress): string[] {
  return [
    ca === null ? '--ssl-capath=/etc/ssl/certs' : `--ssl-ca=${shellQuote(ca)}`,
    ...(cert === null ? [] : [`--ssl-cert=${shellQuote(cert)}`]),
    ...(key === null ? [] : [`--ssl-key=${shellQuote(key)}`]),
    '--loose-ssl-mode=VERIFY_IDENTITY',
    '--loose-ssl-verify-server-cert',
  ]
}
