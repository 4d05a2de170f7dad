import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // Most of the time goes by in servers and browsers: one core less than there are would leave them idle.
    maxWorkers: 2,
    // A second is not much on a machine that is busy with everything else.
    expect: { poll: { timeout: 5000 } },
  },
})
