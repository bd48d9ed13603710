import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { name: 'ring 1: scripts', isolate: false, include: ['test/**/*.test.mjs'], testTimeout: 60_000, passWithNoTests: true },
})
