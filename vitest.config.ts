import { defineConfig } from 'vitest/config'
import { QUICK_FILES } from './test/quick-files.ts'
import { LongestFirst } from './test/servers/longest-first.ts'

export default defineConfig({
  test: {
    teardownTimeout: 20_000,
    // Most tests wait for servers, browsers and the clock: with one worker per core, the cores would be idle half of the time.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/kinds.ts'],
    // Read as a text by the core; other style sheets are skipped.
    css: { include: /report\.css/ },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Generous, because a busy machine is slow: no test proves anything by being quick.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        // Loading the modules again for each file would take longer than the tests.
        test: { name: 'quick', include: QUICK_FILES, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['test/**/*.test.ts'],
          exclude: QUICK_FILES,
          globalSetup: ['test/servers/global-setup.ts'],
        },
      },
    ],
  },
})
