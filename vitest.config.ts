import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['*/vitest.config.ts'],
    // Files mostly wait for chains and clocks, so two of them share even a small machine well.
    maxWorkers: 2,
  },
})
