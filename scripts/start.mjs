import { requireSupportedNode, warnOfEndOfLife } from './support/node-version.mjs'

requireSupportedNode()
warnOfEndOfLife()

const { showFailure, StepFailed } = await import('./support/run.mjs')
const { ensureInstalled } = await import('./support/install.mjs')
const { ensureBuilt } = await import('./support/build.mjs')

const LINES_SHOWN = 40
const PARENT_CHECK_MILLIS = 250

const stopEarly = () => process.exit(0)
process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly)
stopWithNpm()
try {
  await ensureInstalled()
  await ensureBuilt()
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  showFailure(error, LINES_SHOWN)
  process.exit(1)
}
process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly)

process.setSourceMapsEnabled(true)
await import(new URL('../server/dist/main.js', import.meta.url).href)

/** An npm that is killed leaves this process behind, with the port and the data folder that the next start needs. */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return
  const npm = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, PARENT_CHECK_MILLIS)
  timer.unref()
}
