import { defineConfig } from 'vite'

/** Builds the command line into dist/node. Dependencies stay outside: they are installed beside it. */
export default defineConfig({
  build: {
    ssr: true,
    outDir: 'dist/node',
    target: 'node20',
    minify: false,
    rolldownOptions: {
      input: { cli: 'electron/hosts/cli.ts' },
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
})
