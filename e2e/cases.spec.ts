import { findLot, expect, LAMPORTS_PER_SOL, lamportsOf, sell, test } from './support/test.ts'
import { payByHand } from './support/pay-by-hand.ts'

test('a payment of the wrong amount becomes a case, and the seller refunds it with one click', async ({ signedIn, baseURL }) => {
  test.slow()
  const origin = baseURL ?? ''
  const seller = await signedIn({ sol: 1 })
  await sell(seller.page, 'Apple Juice', 5, 0.5)
  const buyer = await signedIn({ sol: 2 })
  await expect(await findLot(buyer.page, seller.address)).toBeVisible()
  await payByHand(buyer, seller.address, origin, 0.4)
  await expect.poll(() => lamportsOf(origin, seller.address)).toBe(1.4 * LAMPORTS_PER_SOL)

  for (const { page } of [buyer, seller]) {
    await expect(page.getByRole('region', { name: 'Needs attention' })).toContainText('0.4 SOL for 5 Apple Juice', { timeout: 45_000 })
  }
  await expect(buyer.page.getByRole('button', { name: /Refund/ })).toHaveCount(0)
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(seller.page.getByRole('alert').filter({ hasText: 'The refund is on its way' })).toBeVisible()
  await expect.poll(() => lamportsOf(origin, buyer.address)).toBe(2 * LAMPORTS_PER_SOL - 5_000)
  for (const { page } of [buyer, seller]) await expect(page.getByText('0.4 SOL for 5 Apple Juice')).toHaveCount(0, { timeout: 45_000 })
})
