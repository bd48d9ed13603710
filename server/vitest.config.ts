import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'server',
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Every file has its own database and chain: on two cores a first answer may take a while, but none is waited for in vain.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    retry: 0,
    passWithNoTests: false,
    unstubEnvs: true,
    restoreMocks: true,
  },
})
