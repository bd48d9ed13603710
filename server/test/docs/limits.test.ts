import { expect, it } from 'vitest'

import { limits } from '../../src/http/api/rate-limits.ts'
import { readTable, readText } from './repository.ts'

it.each([
  ['docs/api.md', '## Limits'],
  ['docs/operations.md', '## Limits on calls'],
])('the table of limits in %s is true', async (path, heading) => {
  const expected = Object.values(limits)
  // Another table may follow.
  const rows = readTable(await readText(path), heading).slice(0, expected.length)
  const numbers = rows.map(([, address = '', wallet = '']) =>
    [address, wallet].map((cell) => Number(/[\d,]+/.exec(cell)?.[0].replaceAll(',', '') ?? Number.NaN)),
  )
  const perCaller = (limit: { perAddress: number; perWallet?: number; perKey?: number }) => limit.perWallet ?? limit.perKey ?? Number.NaN
  expect(numbers).toEqual(expected.map((limit) => [limit.perAddress, perCaller(limit)]))
})
