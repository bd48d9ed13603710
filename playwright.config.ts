import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defineConfig } from '@playwright/test'

import { findChromium } from './e2e/support/chromium.mjs'

const port = process.env['E2E_PORT'] ?? '3210'
const origin = `http://localhost:${port}`
const executablePath = findChromium()
// Inherited by the processes that run the tests, which start servers of their own on the database in it.
const dataDir = (process.env['E2E_DATA_DIR'] ??= join(tmpdir(), `juicebar-e2e-${randomUUID()}`))

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 4,
  retries: 0,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    baseURL: origin,
    browserName: 'chromium',
    // What passes through one is out of reach for the answers that tests give in place of the server.
    serviceWorkers: 'block',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: ['--disable-gpu', '--disable-quic', '--disable-component-update', '--disable-background-networking', '--disable-sync'],
    },
    screenshot: 'only-on-failure',
    // A failed test leaves one when `npm test` runs it again.
    trace: 'off',
  },
  webServer: {
    command: 'exec node e2e/support/serve.mjs',
    url: `${origin}/health`,
    env: { PORT: port, LOG_LEVEL: 'warn', E2E_DATA_DIR: dataDir, NETWORK_HOLDS: '1000' },
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: 60_000,
  },
})
