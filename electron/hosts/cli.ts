#!/usr/bin/env node
import { createCore } from '../core/core.ts'
import { dataFolder } from '../core/data-folder.ts'
import { runCli } from './cli/run.ts'

// The arguments may hold a password, and every user of the machine can read them in the process list. Setting the title
// overwrites them.
process.title = 'lockkeeper'

// `lockkeeper list … | head` closes the pipe: that is not an error.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0)
  throw error
})

const core = createCore({ dataFolder: dataFolder(process.env) })
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

process.exitCode = await runCli(process.argv.slice(2), {
  core,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: stop.signal,
})
await core.close()
