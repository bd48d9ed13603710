import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

import { root } from '../support/run.mjs'

const IMPORTED = /^(?:import|export)\b(?:[^'"]*\bfrom )?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm
const TEST = /\.(?:test|spec)\.m?ts$/
const CODE = /\.(?:ts|tsx|mjs)$/
/** Tests of what no code imports. @type {[RegExp, string[]][]} */
const TESTED_BY_FOLDER = [
  [/^server\/(?:migrations|functions)\//, ['server/test/database/migrate.test.ts', 'server/test/database/schema.test.ts']],
  [/\.md$/, ['server/test/docs']],
  [/^server\/catalogue\//, ['server/test/catalogue']],
]

/**
 * Finds the tests nearest to what has changed since a commit: changed tests, and those that import a changed file. Where no test
 * imports it, the tests of the files that do, and so on.
 *
 * @param {string} commit
 * @returns {{ browser: string[], others: string[] }} without the tests that only `npm run test:full` runs
 */
export function nearestTests(commit) {
  const files = git(['ls-files', '--cached', '--others', '--exclude-standard']).filter((file) => existsSync(join(root, file)))
  const changed = [...git(['diff', '--name-only', commit]), ...git(['ls-files', '--others', '--exclude-standard'])]
  const importers = findImporters(files.filter((file) => CODE.test(file)))
  const nearest = new Set(changed.flatMap((file) => testsOf(file, importers)))
  const tests = [...nearest].filter((test) => existsSync(join(root, test)) && !test.includes('.full.')).sort()
  return { browser: tests.filter((test) => test.includes('.spec.')), others: tests.filter((test) => !test.includes('.spec.')) }
}

/**
 * @param {string} changed
 * @param {Map<string, Set<string>>} importers
 * @returns {string[]}
 */
function testsOf(changed, importers) {
  const byFolder = TESTED_BY_FOLDER.filter(([folder]) => folder.test(changed)).flatMap(([, tests]) => tests)
  if (byFolder.length > 0) return byFolder
  const seen = new Set([changed])
  for (let files = [changed]; files.length > 0;) {
    const tests = files.filter((file) => TEST.test(file))
    if (tests.length > 0) return tests
    files = files.flatMap((file) => [...(importers.get(file) ?? [])]).filter((file) => !seen.has(file))
    for (const file of files) seen.add(file)
  }
  return []
}

/** @param {string[]} files */
function findImporters(files) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map()
  for (const file of files) {
    for (const [, name, lazy] of readFileSync(join(root, file), 'utf8').matchAll(IMPORTED)) {
      const imported = resolve(file, name ?? lazy ?? '')
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file))
    }
  }
  return importers
}

/**
 * @param {string} file
 * @param {string} name
 */
function resolve(file, name) {
  if (name.startsWith('.')) return posix.join(posix.dirname(file), name)
  return name.replace(/^@juicebar\/contract\/(.+)$/, 'contract/src/$1.ts')
}

/**
 * @param {string[]} args
 * @returns {string[]} lines
 */
function git(args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter(Boolean)
}
