import { existsSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/spec-coverage.md', root), 'utf8')
const rows = page.split('\n').filter((line) => line.includes('`: '))
const named = rows.flatMap((row) =>
  [...row.matchAll(/`([^`]+)`: (.+?)(?=<br>| \|$)/g)].map(([, file = '', title = '']) => ({ file, title })),
)

test('every line of the specification is held by a test', () => {
  expect(rows.length).toBeGreaterThan(80)
  expect(page.split('\n').filter((line) => line.startsWith('|') && line.endsWith('|  |'))).toEqual([])
})

test.each(named)('$file has the test “$title”', ({ file, title }) => {
  const url = new URL(file, root)
  expect(existsSync(url)).toBe(true)
  expect(readFileSync(url, 'utf8')).toContain(`'${title}'`)
})
