import { defineConfig } from 'vite'

import players from './vite.config.ts'

/** Apart from the players' code, even where the two are the same. */
const CODE = 'assets/desk/[name]-[hash].js'

/**
 * The studio's desk is a build of its own, into the folder of the players' build and after it. So nothing of the desk can get into what
 * players load, and no file is split on its account.
 */
export default defineConfig({
  plugins: players.plugins?.filter((plugin) => !isNamed(plugin, 'other-licenses')) ?? [],
  build: {
    ...players.build,
    emptyOutDir: false,
    copyPublicDir: false,
    // What it is made of is in the players' build too, which has every licence; a test compares the two.
    license: { fileName: '.vite/desk-licenses.json' },
    manifest: '.vite/desk.json',
    rolldownOptions: {
      input: 'studio.html',
      output: {
        entryFileNames: CODE,
        chunkFileNames: CODE,
        codeSplitting: { groups: [{ name: 'desk', tags: ['$initial'] }] },
      },
    },
  },
})

function isNamed(plugin: unknown, name: string): boolean {
  return typeof plugin === 'object' && plugin !== null && 'name' in plugin && plugin.name === name
}
