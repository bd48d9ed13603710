import { defineConfig } from 'vite'

import players from './vite.config.ts'

/** The service worker: one file at the root, whose name never changes, since browsers look there for a newer one. Built after the players' part. */
export default defineConfig({
  build: {
    ...players.build,
    emptyOutDir: false,
    copyPublicDir: false,
    manifest: false,
    license: false,
    rolldownOptions: {
      input: 'src/worker/worker.ts',
      output: { entryFileNames: 'worker.js', format: 'iife' },
    },
  },
})
