import { createPool } from 'mysql2/promise'

const TABLE = 'recargas_process_locks'
/** The server broke a deadlock or a wait: nothing was done, and programs try again. */
const TRY_AGAIN = [1205, 1213]

/** The recharge service's own statements. */
export async function connect({ port, database, connections }) {
  const pool = createPool({ host: '127.0.0.1', port, user: 'root', database, connectionLimit: connections })
  const run = async (sql, values) => {
    for (;;) {
      try {
        const [result] = await pool.execute(sql, values)
        return result
      } catch (error) {
        if (!TRY_AGAIN.includes(error.errno)) throw error
      }
    }
  }
  return {
    take: async (key, token) =>
      (
        await run(
          `INSERT IGNORE INTO ${TABLE} (lock_key, lock_id, pid, acquired_at, expires_at)
            VALUES (?, ?, 4711, NOW(), NOW() + INTERVAL 1 HOUR)`,
          [key, token],
        )
      ).affectedRows === 1,
    letGo: async (key, token) =>
      (await run(`DELETE FROM ${TABLE} WHERE lock_key = ? AND lock_id = ?`, [key, token])).affectedRows === 1,
    renew: async (key, token) =>
      (
        await run(
          `UPDATE ${TABLE} SET expires_at = NOW() + INTERVAL 2 HOUR WHERE lock_key = ? AND lock_id = ?`,
          [key, token],
        )
      ).affectedRows === 1,
    ownerOf: async key =>
      (await run(`SELECT lock_id FROM ${TABLE} WHERE lock_key = ?`, [key]))[0]?.lock_id ?? null,
    close: () => pool.end(),
  }
}
