import { defineConfig } from 'vitest/config'

/** `PROPERTY_RUNS=500 npx vitest run --root server random-market` tries more sequences, `PROPERTY_SEED=7` the same ones again. */
const { PROPERTY_RUNS = '6', PROPERTY_SEED } = process.env

export default defineConfig({
  test: {
    name: 'server',
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Every file has its own database and chain: on two cores a first answer may take a while, but none is waited for in vain.
    testTimeout: 30_000,
    hookTimeout: 120_000,
    provide: { propertyRuns: Number(PROPERTY_RUNS), propertySeed: PROPERTY_SEED },
    retry: 0,
    passWithNoTests: false,
    unstubEnvs: true,
    restoreMocks: true,
  },
})
