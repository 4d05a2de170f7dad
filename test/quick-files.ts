import { codeOf, FILES, importsOf } from './source-files.ts'

/** What a test imports that starts a server or a browser, or adds to what all tests of one process share. */
const SLOW_IMPORT = /^(playwright|test\/(servers|proof|fixtures)\/)/
/** What a test calls that runs the built program, or replaces a module for all tests of one process. */
const SLOW_CALL = /\b(inject|runCli|startCli)\(|\bCLI\b|\bdist\/|\bvi\.mock\(/
/** Defines what others call. */
const DEFINES_CLI = 'test/hosts/cli/run-cli.ts'

const isQuick = new Map<string, boolean>([[DEFINES_CLI, true]])

function mayRun(file: string): boolean {
  const known = isQuick.get(file)
  if (known !== undefined) return known
  // Until it is known: two files that import each other are slow only for what they have themselves.
  isQuick.set(file, true)
  const imports = importsOf(file)
  const quick =
    !SLOW_CALL.test(codeOf(file)) &&
    !imports.some(name => SLOW_IMPORT.test(name)) &&
    imports.filter(name => name.startsWith('test/')).every(mayRun)
  isQuick.set(file, quick)
  return quick
}

/** The tests that need no server, no browser, no build and no process of their own. */
export const QUICK_FILES = FILES.filter(file => file.endsWith('.test.ts') && mayRun(file))
