import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The web app once more, for the server, which renders first views with it: one file, with all that it needs. It is not served: its
 * folder begins with a dot.
 */
export default defineConfig({
  plugins: [react()],
  publicDir: false,
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: 'src/first-view/render.tsx',
    outDir: 'dist/.first-view',
    emptyOutDir: true,
    target: 'node20',
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: false, entryFileNames: 'render.js' } },
  },
})
