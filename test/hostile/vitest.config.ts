import { defineConfig } from 'vitest/config'

/** Thousands of seeded cases: `FUZZ_CASES` per kind of store, from `FUZZ_SEED` on. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/hostile/**/*.fuzz.ts'],
    setupFiles: ['test/kinds.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    fileParallelism: false,
    // The driver of MySQL traces what it cannot read.
    silent: true,
    testTimeout: 7_200_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
  },
})
