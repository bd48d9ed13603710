import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

/** Tests that fail on purpose, on which the reporter is tried. */
export default defineConfig({ test: { root: fileURLToPath(new URL('.', import.meta.url)), include: ['!browser*', '*.sample.mjs'] } })
