import { afterAll, describe, expect, it } from 'vitest'

describe('a suite', () => {
  afterAll(() => expect.fail('not cleaned up'))
  it('passes', () => expect(1).toBe(1))
})
