import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'ring 1: web',
    isolate: false,
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    passWithNoTests: true,
    // As elsewhere: a busy machine is no failure.
    testTimeout: 60_000,
  },
})
