import { codeOf, FILES, importsOf } from './source-files.ts'

/** Starts a server, a browser or a process, or runs the built program. */
const IMPORTS_SERVERS = /^(playwright|test\/(servers|proof)\/)/
const USES_SERVERS = /\b(inject|runCli|startCli)\(|\bCLI\b|\bdist\//
/** Defines what others call. */
const DEFINES_CLI = 'test/hosts/cli/run-cli.ts'

/** Changes what all tests of one process share: a replaced module, an added kind of store. */
const REPLACES_MODULE = /\bvi\.mock\(/
const ADDS_KIND = /^test\/fixtures\//

/** Whether a file, or one of the test files it imports, has what is looked for. */
function finder(has: (file: string) => boolean): (file: string) => boolean {
  const known = new Map<string, boolean>()
  const find = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    // Until it is known: of two files that import each other, neither has it because of the other.
    known.set(file, false)
    const found = has(file) || importsOf(file).some(name => name.startsWith('test/') && find(name))
    known.set(file, found)
    return found
  }
  return find
}

const needsServers = finder(
  file =>
    file !== DEFINES_CLI &&
    (USES_SERVERS.test(codeOf(file)) || importsOf(file).some(name => IMPORTS_SERVERS.test(name))),
)
const needsOwnProcess = finder(
  file => REPLACES_MODULE.test(codeOf(file)) || importsOf(file).some(name => ADDS_KIND.test(name)),
)

const TESTS = FILES.filter(file => file.endsWith('.test.ts'))

/** The tests that need a process of their own. None of them uses the shared servers. */
export const ALONE = TESTS.filter(needsOwnProcess)
const shared = TESTS.filter(file => !needsOwnProcess(file))
/** The tests that need no server, no browser, no build and no process of their own. */
export const QUICK = shared.filter(file => !needsServers(file))
export const SERVERS = shared.filter(needsServers)
