import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  // Libraries are bundled, because looking for their thousand files takes Node.js longer than to run them. Swagger UI reads its own files.
  ssr: { target: 'node', noExternal: true, external: ['@fastify/swagger-ui'] },
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    reportCompressedSize: false,
    // Of everything that is bundled, for whoever gets the build.
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      input: {
        main: 'src/main.ts',
        audit: 'src/audit-command.ts',
        studio: 'src/studio-command.ts',
        'local-chain-process': 'src/embedded/local-chain-process.ts',
      },
      output: {
        // All files side by side: what the source finds by a relative URL, the build finds as well.
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        // Some of the libraries are CommonJS modules that look for files beside them.
        banner: 'const __dirname = import.meta.dirname',
        sourcemapExcludeSources: true,
      },
    },
  },
})
