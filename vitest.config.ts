import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

import { findRings } from './server/test/rings.ts'

const server = fileURLToPath(new URL('server', import.meta.url))
const rings = findRings(server)

export default defineConfig({
  test: {
    projects: [
      'web/vitest.config.ts',
      'scripts/vitest.config.ts',
      ...([1, 2, 3] as const).map((ring) => ({
        extends: './server/vitest.config.ts',
        root: server,
        test: {
          name: `ring ${ring}: server`,
          include: rings[ring],
          isolate: ring === 3,
          ...(ring > 1 && { globalSetup: join(server, 'test/support/global-setup.ts') }),
        },
      })),
    ],
    maxWorkers: 4,
    // What has not changed since an earlier run is not transformed again, which was a sixth of the work of ring 1.
    experimental: { fsModuleCache: true },
  },
})
