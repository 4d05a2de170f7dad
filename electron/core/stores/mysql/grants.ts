/** What an account may do where, out of SHOW GRANTS. The lines themselves may carry a password hash: never shown. */
export type Grants = {
  may(privilege: 'DELETE' | 'UPDATE', database: string, table: string | null): boolean
}

type Grant = { readonly privileges: ReadonlySet<string>; readonly database: string; readonly table: string }

const NAME = '(?:`(?:[^`]|``)*`|\\*|[^\\s.`]+)'
const GRANT = new RegExp(`^GRANT (.+?) ON (?:TABLE )?(${NAME})\\.(${NAME}) TO `, 's')

/** Grants of single columns and of roles that are not active do not count: better too little than too much. */
export function parseGrants(lines: readonly string[]): Grants {
  const grants = lines.flatMap(parseLine)
  return {
    may: (privilege, database, table) =>
      grants.some(
        grant =>
          (grant.privileges.has(privilege) || grant.privileges.has('ALL PRIVILEGES')) &&
          (grant.database === '*' || matches(grant.database, database)) &&
          // Without a table the question is about any of them.
          (grant.table === '*' || table === null || sameName(unquote(grant.table), table)),
      ),
  }
}

function parseLine(line: string): Grant[] {
  const parts = GRANT.exec(line)
  if (!parts) return []
  const [, list = '', database = '', table = ''] = parts
  const privileges = new Set(
    list
      // `UPDATE (a, b)` is a grant of columns.
      .replace(/[A-Z ]+\([^)]*\)/g, '')
      .split(',')
      .map(privilege => privilege.trim().toUpperCase())
      .map(privilege => (privilege === 'ALL' ? 'ALL PRIVILEGES' : privilege)),
  )
  return [{ privileges, database, table }]
}

/** A database in a grant is a LIKE pattern: `shop\_%` covers shop_eu and shop_us. */
function matches(pattern: string, database: string): boolean {
  const source = unquote(pattern).replace(
    /\\([%_])|[%_]|[^%_\\]+|\\/g,
    (part, escaped: string | undefined) => {
      if (escaped !== undefined) return escaped
      if (part === '%') return '.*'
      return part === '_' ? '.' : part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
    },
  )
  return new RegExp(`^${source}$`, 'su').test(database)
}

/** Some servers keep names in lower case, whatever they were called. */
function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function unquote(name: string): string {
  return name.startsWith('`') ? name.slice(1, -1).replaceAll('``', '`') : name
}
