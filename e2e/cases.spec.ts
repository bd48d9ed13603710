import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { payByHand } from './support/pay-by-hand.ts'
import { type PhantomOptions } from './support/phantom.ts'
import { banner, expect, findListing, LAMPORTS_PER_SOL, lamportsOf, type Player, test } from './support/test.ts'

type SignedIn = (options?: PhantomOptions & { sol?: number }) => Promise<Player>

test('a payment of the wrong amount becomes a case, and the seller refunds it with one click', async ({ signedIn, baseURL }) => {
  test.slow()
  const origin = baseURL ?? ''
  const { seller, buyer } = await payWrongly(signedIn, origin)
  await expect(buyer.page.getByRole('button', { name: /Refund/ })).toHaveCount(0)
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(seller.page.getByRole('alert').filter({ hasText: 'The refund is on its way' })).toBeVisible()
  await expectRefunded(seller, buyer, origin)
})

test('a wallet that only sends by itself refunds too, and is not asked a second time', async ({ signedIn, baseURL }) => {
  test.slow()
  const origin = baseURL ?? ''
  const { seller, buyer } = await payWrongly(signedIn, origin, { sendsByItself: true })
  await seller.phantom.refuse(seller.page, 4001)
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(banner(seller.page)).toHaveText('You declined the request in your wallet. No SOL moved.')
  await seller.phantom.refuse(seller.page, undefined)
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(seller.page.getByRole('alert').filter({ hasText: 'The refund is on its way' })).toBeVisible()
  await expect(seller.page.getByRole('button', { name: /Refund/ })).toHaveCount(0)
  await expectRefunded(seller, buyer, origin)
})

test('a prepared refund that is not the one shown never reaches the wallet', async ({ signedIn, baseURL }) => {
  test.slow()
  const { seller } = await payWrongly(signedIn, baseURL ?? '')
  await seller.page.route('**/refund', async (route) => {
    const response = await route.fetch()
    const { refundDetails } = (await response.json()) as { refundDetails: object }
    await route.fulfill({ response, json: { refundDetails: { ...refundDetails, reference: seller.address } } })
  })
  await seller.phantom.refuse(seller.page, 4001)
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(banner(seller.page)).toHaveText(
    'The server prepared a different refund from the one shown. Your wallet was not asked; no SOL moved.',
  )
})

/** A buyer pays 0.4 SOL for a listing of 0.5 SOL, and both sides see the case. */
async function payWrongly(signedIn: SignedIn, origin: string, wallet: PhantomOptions = {}): Promise<{ seller: Player; buyer: Player }> {
  const seller = await signedIn({ ...wallet, sol: 1 })
  await list(seller, 'APPLE_JUICE', 5, 0.5)
  const buyer = await signedIn({ sol: 2 })
  await expect(await findListing(buyer.page, seller.address)).toBeVisible()
  await payByHand(buyer, seller.address, origin, 0.4)
  await expect.poll(() => lamportsOf(origin, seller.address)).toBe(1.4 * LAMPORTS_PER_SOL)
  for (const { page } of [buyer, seller]) await expect(attention(page)).toContainText('0.4 SOL for 5 Apple Juice', { timeout: 45_000 })
  return { seller, buyer }
}

async function expectRefunded(seller: Player, buyer: Player, origin: string): Promise<void> {
  await expect.poll(() => lamportsOf(origin, buyer.address)).toBe(2 * LAMPORTS_PER_SOL - 5_000)
  for (const { page } of [buyer, seller]) await expect(page.getByText('0.4 SOL for 5 Apple Juice')).toHaveCount(0, { timeout: 45_000 })
}

function attention(page: Page) {
  return page.getByRole('region', { name: 'Needs attention' })
}
