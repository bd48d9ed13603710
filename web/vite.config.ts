import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, minifySync, type Plugin } from 'vite'

import { LICENSES_FILE, otherLicenses } from './licenses.ts'

const SERVER = `http://localhost:${process.env['PORT'] ?? 3000}`
/** Not the page, which the server completes. */
const compressible = /\.(?:js|css|svg|txt)$/
/** How long the development server waits for the server to start. */
const HEAD_ATTEMPTS = 60
const HEAD_PAUSE_MS = 500

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    headOfServer(),
    deskInDevelopment(),
    preloadFonts(),
    scriptsAfterPaint(),
    importWithoutPreloads(),
    withoutDevelopersTools(),
    otherLicenses(),
    compressed(),
  ],
  // What only types are imported from is not downloaded on their account.
  oxc: { typescript: { onlyRemoveTypeImports: false } },
  build: {
    target: 'es2022',
    // Images stay files: the content security policy forbids inlined ones, and files are cached on their own.
    assetsInlineLimit: 0,
    modulePreload: false,
    // Few files compress better than their hundred modules apart: what a visitor needs at once, what opens over it, what buys at the best
    // price, what only a player needs, what builds and signs payments, the figures of drinks, their pages, and what watches the page's
    // address. A checkout is a page of its own.
    rolldownOptions: {
      input: { index: 'index.html', react: 'src/first-view/react.ts' },
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\/|first-view\/react/, priority: 5 },
            { name: 'market', tags: ['$initial'], priority: 4 },
            {
              name: 'figures',
              test: /src\/figures\/(?!candle-series|show-trade)|ui\/chart\/use-width|market\/price-strip|endpoints\/figures/,
              priority: 3,
            },
            {
              name: 'buying',
              test: /main-area\/drink-panel|ui\/amount\/|purchase\/(?:order|best-price)\/|alerts\/tell-me|api\/retry-passing|navigation\/not-found|history\/signature-link|ui\/chart\/|contract\/src\/catalogue/,
              priority: 2,
            },
            {
              name: 'addressed',
              test: /main-area\/addressed|worker\/register-worker|features\/listing\/(?:first-view|listing-content)|api\/listing-query/,
              priority: 2,
            },
            { name: 'drink', test: /features\/drink\/|main-area\/drink-view|figures\/(?:candle-series|show-trade)/ },
            {
              name: 'dialogs',
              test: /ui\/modal|feedback\/overlay|payment\/sign-payment|purchase\/(?:way-to-pay|buy-dialog|purchase-progress|purchase-state)|wallet-picker|wallet-error|approval-dialog|src\/wallet\/(?:signatures|mobile\/(?:mobile-problem|request-local))|[/\\](?:useMutation|mutationObserver)\.js|features\/listing\/listing-dialog/,
              priority: 1,
            },
            { name: 'solana', test: /node_modules\/@solana(?:-program\/|\/(?!wallet-standard))/, priority: 1 },
            {
              name: 'player',
              test: /player-controls|attention|features\/(?:alerts|cases|history|inventory|market\/activity|my-listings|purchase\/(?:flow|hold|co-signed|open|basket))\/|purchase\/carry-out|src\/payment\//,
            },
            { name: 'checkout', test: /purchase\/checkout\/|shell\/checkout-shell|endpoints\/checkouts/ },
          ],
        },
      },
    },
    manifest: true,
    license: { fileName: LICENSES_FILE },
  },
  server: { proxy: Object.fromEntries(['/api', '/rpc', '/health', '/files', '/docs', '/p/'].map((path) => [path, SERVER])) },
})

/** In development, asks the server for its part of the page's head, which it otherwise puts there itself. */
function headOfServer(): Plugin {
  return {
    name: 'head-of-server',
    apply: 'serve',
    transformIndexHtml: { order: 'pre', handler: async (html) => html.split('<!--market-head-->').join(await fetchHead()) },
  }
}

async function fetchHead(attempts = HEAD_ATTEMPTS): Promise<string> {
  try {
    const reply = await fetch(`${SERVER}/files/head.html`)
    if (reply.ok) return await reply.text()
  } catch {
    // It is still starting.
  }
  if (attempts <= 1) throw new Error(`The server at ${SERVER} does not answer, so the page cannot be shown.`)
  await new Promise((resolve) => setTimeout(resolve, HEAD_PAUSE_MS))
  return fetchHead(attempts - 1)
}

/** In development, serves the studio's desk where the server does otherwise. */
function deskInDevelopment(): Plugin {
  return {
    name: 'desk-in-development',
    apply: 'serve',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, _response, next) => {
        if (request.url?.split('?')[0] === '/studio') request.url = '/studio.html'
        next()
      })
    },
  }
}

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

/**
 * Has `early.js` run React and the app once the page is painted, and one after the other: as one task before that, they would keep people
 * from seeing the page, and from using it. Both are downloaded meanwhile, after what the paint needs.
 */
function scriptsAfterPaint(): Plugin {
  return {
    name: 'scripts-after-paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        // The desk's first view is its name, which only has to come before its script.
        if (!html.includes('/early.js')) return html.replace('<script type="module"', '<script type="module" fetchpriority="low"')
        const react = Object.keys(bundle ?? {}).filter((file) => /\/react-[\w-]+\.js$/.test(file))
        const preload = (file: string) => `<link rel="modulepreload" crossorigin fetchpriority="low" href="${file}">`
        return html.replace(/<script type="module" crossorigin src="([^"]+)"><\/script>/, (_, app: string) =>
          [...react.map((file) => `/${file}`), app].map(preload).join('\n    '),
        )
      },
    },
  }
}

/** Leaves out the code that preloads what a lazy part imports: each of our few files imports only files that are there already. */
function importWithoutPreloads(): Plugin {
  return {
    name: 'import-without-preloads',
    apply: 'build',
    enforce: 'pre',
    load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined),
  }
}

/** Leaves out what reports each render to React's tools for developers, which are of use in development. */
function withoutDevelopersTools(): Plugin {
  return {
    name: 'without-developers-tools',
    apply: 'build',
    config: () => ({ define: { __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined' } }),
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
        const built = Object.entries(bundle).map(([name, file]) => [name, file.type === 'chunk' ? file.code : file.source] as const)
        const inPublic = readdirSync('public', { withFileTypes: true }).filter((entry) => entry.isFile())
        const copied = inPublic.map(({ name }) => [name, readPublic(name)] as const)
        // In place of what is copied as it is written.
        for (const [fileName, source] of copied) if (fileName.endsWith('.js')) this.emitFile({ type: 'asset', fileName, source })
        const files = [...built, ...copied]
        for (const [fileName, content] of files) {
          if (!compressible.test(fileName)) continue
          const source = Buffer.from(content)
          const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(source, { params }) })
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) })
        }
      },
    },
  }
}

/** A file of `public`, as it is downloaded: the page waits for its scripts before it is painted. */
function readPublic(name: string): string | Buffer {
  const content = readFileSync(join('public', name))
  return name.endsWith('.js') ? minifySync(name, content.toString()).code : content
}
