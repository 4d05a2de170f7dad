import { defineConfig } from 'vitest/config'

/** Measurements, one file at a time: two of them side by side would measure each other. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/bench/**/*.bench.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    fileParallelism: false,
    // To see what is held, apart from what has not been collected yet.
    execArgv: ['--expose-gc'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
  },
})
