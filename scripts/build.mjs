import { requireSupportedNode } from './support/node-version.mjs'

requireSupportedNode()

const { ensureBuilt } = await import('./support/build.mjs')
const { showFailure, StepFailed } = await import('./support/run.mjs')

const LINES_SHOWN = 40

try {
  await ensureBuilt(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  showFailure(error, LINES_SHOWN)
  process.exitCode = 1
}
