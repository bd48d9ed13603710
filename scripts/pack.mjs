import { requireSupportedNode } from './support/node-version.mjs'

requireSupportedNode()

const { relative } = await import('node:path')
const { writeArchive } = await import('./support/archive.mjs')
const { ensureBuilt } = await import('./support/build.mjs')
const { ensureInstalled } = await import('./support/install.mjs')
const { showFailure, StepFailed, timed } = await import('./support/run.mjs')

const LINES_SHOWN = 40
const BYTES_PER_MB = 1_000_000

try {
  await ensureInstalled()
  await ensureBuilt()
  const { file, bytes, unpackedBytes, files } = await timed('Packing', writeArchive)
  console.log(`${relative(process.cwd(), file)}: ${megabytes(bytes)}; unpacked ${megabytes(unpackedBytes)} in ${files} files`)
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  showFailure(error, LINES_SHOWN)
  process.exitCode = 1
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / BYTES_PER_MB).toFixed(1)} MB`
}
