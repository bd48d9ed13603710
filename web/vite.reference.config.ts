import { defineConfig } from 'vite'

/** The page that `npm run bench -- page` measures the market's beside: React 19, the same elements, and nothing else. */
export default defineConfig({
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: '../.cache/bench-page',
    emptyOutDir: true,
    modulePreload: false,
    rolldownOptions: { input: 'bench/reference.ts', output: { entryFileNames: 'reference.js' } },
  },
})
