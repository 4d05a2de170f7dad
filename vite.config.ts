import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { entryTypes } from './scripts/entry-types.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const LOCKS = {
  locks: here('electron/hosts/library/index.ts'),
  'locks-metrics': here('electron/hosts/library/metrics.ts'),
}

/** Builds the page, the programs and the library for Node and Electron, and the preload script. Dependencies of the programs stay external. */
export default defineConfig({
  root: here('renderer'),
  plugins: [react(), entryTypes({ root: here('.'), entries: Object.values(LOCKS), out: here('dist/types') })],
  css: {
    modules: {
      // `.row` of LockTable.module.css is LockTable__row in the page. test/architecture-styles.test.ts keeps the names of the files apart.
      generateScopedName: (name, file) => `${basename(file, '.module.css')}__${name}`,
    },
  },
  builder: {
    async buildApp(builder) {
      for (const environment of Object.values(builder.environments)) await builder.build(environment)
    },
  },
  environments: {
    client: {
      build: {
        outDir: here('dist/renderer'),
        emptyOutDir: true,
        // The page's security policy allows no inline content.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        // Electron and browsers of the last years.
        target: 'es2022',
        // Read from the local disk, where one file is as fast as several.
        chunkSizeWarningLimit: 800,
      },
    },
    node: {
      consumer: 'server',
      build: {
        ssr: true,
        copyPublicDir: false,
        outDir: here('dist/node'),
        emptyOutDir: true,
        target: 'node20',
        minify: false,
        rolldownOptions: {
          input: {
            cli: here('electron/hosts/cli/main.ts'),
            main: here('electron/main.ts'),
            room: here('electron/core/stores/room/worker.ts'),
            ...LOCKS,
          },
          // Electron provides this module itself.
          external: ['electron'],
          output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
        },
      },
    },
    preload: {
      consumer: 'server',
      build: {
        ssr: true,
        copyPublicDir: false,
        outDir: here('dist/node'),
        // The programs are already in this folder.
        emptyOutDir: false,
        target: 'node20',
        minify: false,
        rolldownOptions: {
          input: { preload: here('electron/preload.ts') },
          external: ['electron'],
          // A sandboxed preload is one CommonJS file, and can require only electron.
          output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
        },
      },
    },
  },
})
