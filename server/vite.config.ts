import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vite'

/** Every program that is started by its file name in `dist`. */
const programs = {
  main: 'src/main.ts',
  audit: 'src/audit.ts',
  'local-chain-process': 'src/embedded/local-chain-process.ts',
}

const root = fileURLToPath(new URL('.', import.meta.url))

export default defineConfig({
  root,
  publicDir: false,
  ssr: { target: 'node', noExternal: ['@juicebar/contract'] },
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(programs).filter(([, file]) => existsSync(`${root}${file}`))),
      // All files side by side: what the source finds by a relative URL, the build finds as well.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
})
