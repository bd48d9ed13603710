import { requireSupportedNode } from './support/node-version.mjs'

requireSupportedNode()

const { spawn } = await import('node:child_process')
const { join } = await import('node:path')
const { ensureInstalled } = await import('./support/install.mjs')
const { root } = await import('./support/run.mjs')

/** Where Vite serves the page; it passes calls on to the server, which must know its players' origin. */
const PAGE_PORT = '5173'
const PUBLIC_ORIGIN = process.env.PUBLIC_ORIGIN ?? `http://localhost:${PAGE_PORT}`
/** Skips the drain, so that a restart after each change is quick. */
const DRAIN_SECONDS = process.env.DRAIN_SECONDS ?? '0'

await ensureInstalled()
const tools = join(root, 'node_modules')
const children = [
  run(root, [join(tools, 'tsx', 'dist', 'cli.mjs'), 'watch', '--clear-screen=false', 'server/src/main.ts'], {
    PUBLIC_ORIGIN,
    DRAIN_SECONDS,
  }),
  run(join(root, 'web'), [join(tools, 'vite', 'bin', 'vite.js'), '--port', PAGE_PORT, '--strictPort'], {}),
]

const stopAll = () => children.forEach((child) => child.kill('SIGTERM'))
process.on('SIGINT', stopAll).on('SIGTERM', stopAll)
for (const child of children) child.on('exit', stopAll)

/**
 * @param {string} cwd
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 */
function run(cwd, command, env) {
  return spawn(process.execPath, command, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] })
}
