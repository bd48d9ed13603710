import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

const source = new URL('../../src', import.meta.url).pathname
const tables = [...readFileSync(join(source, '../schema.sql'), 'utf8').matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(
  ([, name]) => name,
)

/** Whatever sends columns that are not named, or a whole row as one value. */
const unnamed = [
  /\b(?:selectAll|returningAll)\(/,
  /\b(?:select|returning)\s+\*/i,
  /[\w)]\.\*/,
  new RegExp(`\\bselect\\s+(\\w+)\\s+from\\s+(?:${tables.join('|')})\\s+(?:as\\s+)?\\1\\b`, 'i'),
]

/** The first such place in a text, without comments. */
function unnamedColumns(text: string): string | undefined {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
  return unnamed.map((pattern) => pattern.exec(code)?.[0]).find((found) => found !== undefined)
}

it.each([
  ['db.selectFrom("purchases").selectAll()', 'selectAll('],
  ['`insert into cases values (1) returning *`', 'returning *'],
  ['`select p.*, m.kind from purchases p`', 'p.*'],
  ['`select (settle_purchase($1)).*`', ').*'],
  ['`select p from purchases p`', 'select p from purchases p'],
  ['`select p.id, count(*) from purchases p`', undefined],
])('%s: %s', (code, found) => {
  expect(unnamedColumns(code)).toBe(found)
})

it('the server names every column it reads, so that a newer one may add columns while it runs', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const found = files
    .map((file) => [file, unnamedColumns(readFileSync(join(source, file), 'utf8'))])
    .filter(([, place]) => place !== undefined)
  expect(found).toEqual([])
})
