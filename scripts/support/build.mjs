import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { hashOfFiles } from './file-hash.mjs'
import { expectSuccess, requireWritableCheckout, root, runNode, timed } from './run.mjs'

/**
 * One run of Vite for each of `configs`, or of TypeScript for one that it reads.
 *
 * @typedef {{ workspace: string, title: string, sources: string[], configs: string[] }} Build
 */

const SHARED = ['tsconfig.base.json', 'contract/package.json', 'contract/src', 'package-lock.json']

/** @type {Build[]} */
const builds = [
  {
    workspace: 'client',
    title: 'Building the client',
    sources: [
      'tsconfig.base.json',
      'package-lock.json',
      'client/package.json',
      'client/tsconfig.json',
      'client/tsconfig.build.json',
      'client/src',
    ],
    configs: ['tsconfig.build.json'],
  },
  {
    workspace: 'server',
    title: 'Building the server',
    sources: [...SHARED, 'server/package.json', 'server/src', 'server/vite.config.ts'],
    configs: ['vite.config.ts'],
  },
  {
    workspace: 'web',
    title: 'Building the web app',
    sources: [
      ...SHARED,
      'web/package.json',
      'web/tsconfig.json',
      'web/index.html',
      'web/studio.html',
      'web/public',
      'web/src',
      'web/vite.config.ts',
      'web/vite.desk.config.ts',
      'web/vite.worker.config.ts',
      'web/vite.first-view.config.ts',
    ],
    // The players' part first: it empties the folder.
    configs: ['vite.config.ts', 'vite.desk.config.ts', 'vite.worker.config.ts', 'vite.first-view.config.ts'],
  },
]

/**
 * Builds the client, the server and the web app unless they are built from the present sources.
 *
 * @param {string[]} [workspaces] those to build alone, by their folders
 * @throws {import('./run.mjs').StepFailed} if a build fails, or this user may not write to the checkout
 */
export async function ensureBuilt(workspaces = []) {
  const wanted = builds.filter(({ workspace }) => workspaces.length === 0 || workspaces.includes(workspace))
  const stale = wanted.filter((build) => builtFrom(build) !== hashOfFiles(root, build.sources))
  if (stale.length > 0) requireWritableCheckout('Building', 'npm run build')
  for (const build of stale) await timed(build.title, () => runBuild(build))
}

/** @param {Build} build */
async function runBuild(build) {
  const sources = hashOfFiles(root, build.sources)
  const tool = (/** @type {string} */ name, /** @type {string} */ file) => join(root, 'node_modules', name, 'bin', file)
  for (const config of build.configs) {
    const command = config.endsWith('.json')
      ? [tool('typescript', 'tsc'), '-p', config]
      : [tool('vite', 'vite.js'), 'build', '--config', config]
    const result = await runNode(command, { cwd: join(root, build.workspace), env: { NODE_ENV: 'production' } })
    expectSuccess(build.title, result)
  }
  writeFileSync(stampFile(build), sources)
}

/** @param {Build} build */
function builtFrom(build) {
  return existsSync(stampFile(build)) ? readFileSync(stampFile(build), 'utf8') : undefined
}

/**
 * Holds the hash of the sources that a build was made from. It is part of the build: Vite deletes it first and copies take it along.
 *
 * @param {Build} build
 */
function stampFile(build) {
  return join(root, build.workspace, 'dist', '.built-from')
}
