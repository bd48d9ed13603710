import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
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
      input: {
        main: 'src/main.ts',
        audit: 'src/audit.ts',
        'local-chain-process': 'src/embedded/local-chain/local-chain-process.ts',
      },
      // All files side by side: what the source finds by a relative URL, the build finds as well.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
})
