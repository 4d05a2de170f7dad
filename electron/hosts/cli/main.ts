#!/usr/bin/env -S node --
// The two dashes keep Node 20 from reading our --env-file as its own option.
import { fileURLToPath } from 'node:url'
import type { Core } from '../../core/dispatch.ts'
import { reportCrashes } from '../../core/lib/crash-report.ts'
import { quietClients } from '../../core/lib/quiet-clients.ts'
import { createHostCore } from '../console/core.ts'
import { runCli } from './run.ts'

quietClients()
reportCrashes(() => process.exit(1))

let core: Core | undefined
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
for (const code of ['SIGTERM', 'SIGHUP'] as const)
  process.once(code, () => stop.abort(Object.assign(new Error(code), { code })))
// A closed terminal must not break an orderly end.
process.stderr.on('error', error => stop.abort(error))

// A reader that stops reading (`| head`) ends the command and is no error. Other output errors are reported. Neither changes what
// the command did, so its exit code stands.
let unprinted = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && !unprinted) {
    unprinted = true
    process.stderr.write(`lockkeeper: The output cannot be written (${error.code})\n`)
  }
  stop.abort(error)
})

// Relative to the entry, which the build leaves in place; imported code may be in chunks.
const distFolder = fileURLToPath(new URL('..', import.meta.url))

const exitCode = await runCli(process.argv.slice(2), {
  core: () => {
    core ??= createHostCore(process.env, distFolder)
    return core
  },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: stop.signal,
  stop: reason => stop.abort(reason),
  distFolder,
})
process.exitCode = exitCode === 0 && unprinted ? 1 : exitCode
await core?.close()
// After Ctrl-C, a connection that does not close must not delay the end.
if (stop.signal.aborted) setTimeout(() => process.exit(), 200).unref()
