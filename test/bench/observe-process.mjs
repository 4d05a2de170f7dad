import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// Loaded with --import into a process that is measured, and by Node into its workers as well.
if (isMainThread && process.send) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on('message', message => {
    process.send?.({ stallMs: delay.max / 1e6 })
    if (message === 'reset') delay.reset()
  })
  // The measured process ends as it would without us.
  process.channel?.unref()
}
