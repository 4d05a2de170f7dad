import { defineConfig } from 'vitest/config'
import { codeOf, FILES, importsOf } from './test/source-files.ts'

/** What a test imports that starts a server or a browser, and what it calls that runs the built program. */
const SLOW_IMPORT = /^(playwright|test\/(servers|proof)\/)/
const SLOW_CALL = /\b(inject|runCli|startCli)\(|\bCLI\b|\bdist\//
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

/** The tests that need no server, no browser and no build: for the loop while one works. */
export default defineConfig({
  test: {
    include: FILES.filter(file => file.endsWith('.test.ts') && mayRun(file)),
    setupFiles: ['test/kinds.ts'],
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
