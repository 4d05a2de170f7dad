import { defineConfig } from 'vitest/config'

/** Pictures of the real console on real servers, for the README: `npm run screenshots`. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/screenshots/**/*.shot.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
  },
})
