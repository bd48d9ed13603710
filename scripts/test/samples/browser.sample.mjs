import { expect, test } from '@playwright/test'

test('passes', () => {
  expect(1).toBe(1)
})

test('fails', () => {
  expect(1).toBe(2)
})

test('is skipped', () => {
  test.skip()
})

test('fails, as is expected', () => {
  test.fail()
  expect(1).toBe(2)
})
