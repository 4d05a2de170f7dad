import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // Most of the time goes by in waiting for servers, browsers and the clock: with one worker a core, half of a core is idle.
    maxWorkers: 3,
    // A second is not much on a machine that is busy with everything else.
    expect: { poll: { timeout: 5000 } },
  },
})
