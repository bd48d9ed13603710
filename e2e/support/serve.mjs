import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs the built product on a data folder that goes when it ends, for the browser's tests. */
const folder = mkdtempSync(join(tmpdir(), 'juicebar-e2e-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

process.env.DATA_DIR = folder
process.setSourceMapsEnabled(true)
await import(new URL('../../server/dist/main.js', import.meta.url).href)
