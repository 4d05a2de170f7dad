import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/servers/longest-first.ts'
import { ALONE, QUICK, SERVERS } from './test/test-groups.ts'

export default defineConfig({
  test: {
    teardownTimeout: 20_000,
    // Most tests wait for servers, browsers and the clock: with one worker per core, the cores would be idle half of the time.
    maxWorkers: 8,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/kinds.ts'],
    // Read as a text by the core; other style sheets are skipped.
    css: { include: /report\.css/ },
    // Generous, because a busy machine is slow: no test proves anything by being quick.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Loading the modules again for each file would take longer than many of the tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'servers',
          include: SERVERS,
          globalSetup: ['test/servers/global-setup.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, isolate: true } },
      { extends: true, test: { name: 'quick', include: QUICK } },
    ],
  },
})
