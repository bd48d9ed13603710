import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { name: 'web', include: ['test/**/*.test.ts'], setupFiles: ['test/support/setup.ts'], passWithNoTests: false },
})
