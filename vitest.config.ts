import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['*/vitest.config.ts'],
    // Files mostly wait for chains and clocks, so two at a time suit even a small machine.
    maxWorkers: 2,
  },
})
