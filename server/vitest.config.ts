import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

/**
 * `PROPERTY_SEED=7` makes every property try the same values again, and `PROPERTY_RUNS=500 npx vitest run random-market` tries more
 * sequences of what players do.
 */
const { PROPERTY_RUNS = '6', PROPERTY_SEED } = process.env

export default defineConfig({
  test: {
    alias: { typescript: fileURLToPath(new URL('test/docs/typescript-6.ts', import.meta.url)) },
    server: { deps: { inline: ['openapi-typescript'] } },
    setupFiles: PROPERTY_SEED === undefined ? [] : 'test/support/property-seed.ts',
    // Every file has its own database and chain: on two busy cores the first reply can take a while.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    provide: { propertyRuns: Number(PROPERTY_RUNS), propertySeed: PROPERTY_SEED },
    retry: 0,
    passWithNoTests: true,
    unstubEnvs: true,
    restoreMocks: true,
  },
})
