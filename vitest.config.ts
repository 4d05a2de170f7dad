import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/servers/longest-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/kinds.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    // Most tests wait for servers, browsers and the clock: with one worker per core, the cores would be idle half of the time.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    // Generous, because a busy machine is slow: no test proves anything by being quick.
    expect: { poll: { timeout: 60_000 } },
  },
})
