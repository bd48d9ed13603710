import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

import { LICENSES_FILE, otherLicenses } from './licenses.ts'

const SERVER = `http://localhost:${process.env['PORT'] ?? 3000}`
const compressible = /\.(?:js|css|html|svg|txt)$/

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadFonts(), otherLicenses(), compressed()],
  build: {
    target: 'es2022',
    // Images stay files: the content security policy forbids inlined ones, and files are cached on their own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Everything that a visitor needs at once is one file: it compresses better than the same modules apart.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'market', tags: ['$initial'] }] } } },
    manifest: true,
    license: { fileName: LICENSES_FILE },
  },
  server: { proxy: { '/api': SERVER, '/rpc': SERVER, '/health': SERVER } },
})

/** Makes the browser fetch the typefaces along with the page instead of after its style sheet. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => file.endsWith('.woff2'))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
            injectTo: 'head-prepend' as const,
          })),
    },
  }
}

/** Writes a .br and a .gz beside every text file, so that the server never compresses on the fly. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          if (!compressible.test(fileName)) continue
          const source = Buffer.from(file.type === 'chunk' ? file.code : file.source)
          const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(source, { params }) })
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) })
        }
      },
    },
  }
}
