import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // Most of the time goes by in waiting for servers, browsers and the clock: with one worker a core, half of a core is idle.
    maxWorkers: 3,
    // A few seconds are not much on a machine that is busy with everything else. Nothing is proved by what takes less.
    expect: { poll: { timeout: 15_000 } },
  },
})
