import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whoever imports one of these, even through other files of the tests, needs a database, a chain or another process. */
const REAL_PARTS = /^(?:test\/support\/fresh-database\.ts|src\/embedded\/.+|node:child_process)$/
const IMPORTED = /^(?:import|export)\b(?:[^'"]*\bfrom )?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm

/** The files of each ring, relative to the folder of the server. */
export interface Rings {
  /** Pure: no database, no chain, no other process. */
  1: string[]
  /** On a real PostgreSQL, and many on a real chain. */
  2: string[]
  /** Named `*.full.test.ts`: what stands around a market, such as archives, clusters, proxies, upgrades and chaos. */
  3: string[]
}

/** Sorts the tests of the server: which ring a file belongs to follows from its name and from what it imports. */
export function findRings(server: string): Rings {
  const files = readdirSync(join(server, 'test'), { recursive: true, encoding: 'utf8' })
  const tests = files.filter((file) => file.endsWith('.test.ts')).map((file) => join('test', file))
  const rings: Rings = { 1: [], 2: [], 3: [] }
  for (const test of tests.sort()) rings[test.endsWith('.full.test.ts') ? 3 : needsRealParts(server, test) ? 2 : 1].push(test)
  return rings
}

function needsRealParts(server: string, test: string): boolean {
  const seen = new Set([test])
  for (const file of seen) {
    if (REAL_PARTS.test(file)) return true
    if (file.startsWith('test/')) for (const imported of importsOf(server, file)) seen.add(imported)
  }
  return false
}

function importsOf(server: string, file: string): string[] {
  const found = [...readFileSync(join(server, file), 'utf8').matchAll(IMPORTED)].map(([, name, lazy]) => name ?? lazy ?? '')
  return found.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name))
}
