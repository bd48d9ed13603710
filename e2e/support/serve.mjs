import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs the built product for the browser tests, on a data folder that is deleted at the end. */
const folder = process.env.E2E_DATA_DIR ?? mkdtempSync(join(tmpdir(), 'juicebar-e2e-'))
mkdirSync(folder, { recursive: true })
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

process.env.DATA_DIR = folder
process.setSourceMapsEnabled(true)
await import(new URL('../../server/dist/main.js', import.meta.url).href)
