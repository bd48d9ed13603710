import { describe, expect, it } from 'vitest'

it('passes', () => expect(1).toBe(1))
it('fails', () => expect(1).toBe(2))
it('is skipped', (context) => {
  context.skip()
  expect(1).toBe(2)
})
describe("paging of a seller's", () => {
  it('(any)', () =>
    expect.fail('Error: Property failed after 3 tests\n{ seed: -42, path: "2:1", endOnFailure: true }\nCounterexample: [0]'))
  it('passes, too', () => expect(1).toBe(1))
})
