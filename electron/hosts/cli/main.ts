#!/usr/bin/env -S node --
// The two dashes keep Node 20 from taking our --env-file for its own.
import { fileURLToPath } from 'node:url'
import { createCore } from '../../core/compose.ts'
import type { Core } from '../../core/dispatch.ts'
import { dataFolder, historyMs, undoWindowMs } from '../../core/files/data-folder.ts'
import { readVersion } from '../console/version.ts'
import { runCli } from './run.ts'

// The arguments may hold a password, and every user of the machine can read them in the process list. Setting the title
// overwrites them.
process.title = 'lockkeeper'

// Libraries must not write on the operator's terminal; ioredis warns there about passwords that were not needed.
console.warn = () => {}

let core: Core | undefined
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
for (const code of ['SIGTERM', 'SIGHUP'] as const)
  process.once(code, () => stop.abort(Object.assign(new Error(code), { code })))
// A terminal that was closed takes nothing any more, and must not keep us from ending in order.
process.stderr.on('error', error => stop.abort(error))

// A reader that stops reading (`| head`) ends the command without being an error of it. Anything else that keeps us from
// printing is said. Neither changes what the command did, so its own exit code stands.
let unprinted = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && !unprinted) {
    unprinted = true
    process.stderr.write(`lockkeeper: The output cannot be written (${error.code})\n`)
  }
  stop.abort(error)
})

// The entry stays where it is built to; what it imports may be moved into chunks.
const distFolder = fileURLToPath(new URL('..', import.meta.url))

const exitCode = await runCli(process.argv.slice(2), {
  core: () => {
    core ??= createCore({
      dataFolder: dataFolder(process.env),
      undoWindowMs: undoWindowMs(process.env),
      historyMs: historyMs(process.env),
      version: readVersion(distFolder),
    })
    return core
  },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: stop.signal,
  distFolder,
})
process.exitCode = exitCode === 0 && unprinted ? 1 : exitCode
await core?.close()
// Whoever pressed Ctrl-C does not wait for a connection that will not close.
if (stop.signal.aborted) setTimeout(() => process.exit(), 200).unref()
