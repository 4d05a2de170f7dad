type Grant = { readonly privileges: ReadonlySet<string>; readonly database: string; readonly table: string }

const NAME = '(?:`(?:[^`]|``)*`|\\*|[^\\s.`]+)'
const GRANT = new RegExp(`^GRANT (.+?) ON (?:TABLE )?(${NAME})\\.(${NAME}) TO `, 's')

/** What an account may do, by SHOW GRANTS, whose lines may hold a password hash. Grants of columns and inactive roles do not count. */
export function parseGrants(lines: readonly string[]) {
  const grants = lines.flatMap(parseLine)
  return {
    may: (privilege: 'DELETE' | 'UPDATE', database: string, table: string | null) =>
      grants.some(
        grant =>
          (grant.privileges.has(privilege) || grant.privileges.has('ALL PRIVILEGES')) &&
          (grant.database === '*' || matches(grant.database, database)) &&
          (grant.table === '*' || table === null || isSameName(unquote(grant.table), table)),
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
function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function unquote(name: string): string {
  return name.startsWith('`') ? name.slice(1, -1).replaceAll('``', '`') : name
}
