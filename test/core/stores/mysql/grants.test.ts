import { describe, expect, it } from 'vitest'
import { parseGrants } from '../../../../electron/core/stores/mysql/grants.ts'

const may = (line: string, privilege: 'DELETE' | 'UPDATE' = 'DELETE') =>
  parseGrants([line]).may(privilege, 'shop_eu', 'locks')

describe('reading SHOW GRANTS', () => {
  it.each([
    [
      "GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` IDENTIFIED BY PASSWORD '*6BB4' WITH GRANT OPTION",
      true,
    ],
    ['GRANT SELECT, INSERT, DELETE ON `shop_eu`.* TO `app`@`%`', true],
    ['GRANT DELETE ON `shop\\_%`.* TO `app`@`%`', true],
    ['GRANT DELETE ON `shop\\_u%`.* TO `app`@`%`', false],
    ['GRANT DELETE ON `shop_e`.* TO `app`@`%`', false],
    ['GRANT DELETE ON `shop_eu`.`locks` TO `app`@`%`', true],
    ['GRANT DELETE ON `shop_eu`.`other` TO `app`@`%`', false],
    ['GRANT DELETE HISTORY ON `shop_eu`.* TO `app`@`%`', false],
    ['GRANT USAGE ON *.* TO `app`@`%`', false],
    ['GRANT `deleter` TO `app`@`%`', false],
    ['GRANT EXECUTE ON PROCEDURE `shop_eu`.`delete` TO `app`@`%`', false],
    ["GRANT SELECT ON *.* TO `x`@`%` IDENTIFIED BY 'DELETE ON *.* TO '", false],
    ['nonsense', false],
  ])('%s', (line, expected) => {
    expect(may(line)).toBe(expected)
  })

  it('does not count a grant of single columns', () => {
    expect(may('GRANT SELECT, UPDATE (a, b) ON `shop_eu`.`locks` TO `app`@`%`', 'UPDATE')).toBe(false)
    expect(may('GRANT UPDATE (a), DELETE ON `shop_eu`.`locks` TO `app`@`%`')).toBe(true)
  })

  it('reads a name with backticks, and one full of pattern characters', () => {
    const grants = parseGrants(['GRANT DELETE ON `a``b.*+[x`.`t``` TO `app`@`%`'])
    expect(grants.may('DELETE', 'a`b.*+[x', 't`')).toBe(true)
    expect(grants.may('DELETE', 'a`bXX+[x', 't`')).toBe(false)
  })
})
