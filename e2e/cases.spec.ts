import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { payByHand } from './support/pay-by-hand.ts'
import { banner, expect, LAMPORTS_PER_SOL, lamportsOf, type Player, test } from './support/test.ts'
import { type Trader } from './support/trader.ts'

/** A seller at the page, and a buyer anywhere. */
interface Sides {
  seller: Player & Trader
  buyer: Trader
}

test('a payment of the wrong amount becomes a case, and the seller refunds it with one click', async ({ signedIn }) => {
  test.slow()
  const sides = { seller: await signedIn({ sol: 1 }), buyer: await signedIn({ sol: 2 }) }
  const { seller, buyer } = sides
  await payWrongly(sides)
  await expect(attention(buyer.page)).toContainText('0.4 SOL for 5 Apple Juice', { timeout: 45_000 })
  await expect(buyer.page.getByRole('button', { name: /Refund/ })).toHaveCount(0)
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(seller.page.getByRole('alert').filter({ hasText: 'The refund is on its way' })).toBeVisible()
  await expectRefunded(sides)
  await expect(buyer.page.getByText('0.4 SOL for 5 Apple Juice')).toHaveCount(0, { timeout: 45_000 })
})

test('a wallet that only sends by itself refunds too, and is not asked a second time', async ({ signedIn, trader }) => {
  test.slow()
  const sides = { seller: await signedIn({ sol: 1, sendsByItself: true }), buyer: await trader({ sol: 2 }) }
  const { seller } = sides
  await payWrongly(sides)
  await seller.phantom.refuse(seller.page, 4001)
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(banner(seller.page)).toHaveText('You declined the request in your wallet. No SOL moved.')
  await seller.phantom.refuse(seller.page, undefined)
  // As of a server that has not found the refund yet.
  let cases: unknown
  await seller.page.route(/\/cases(?:\?|$)/, async (route) => {
    cases ??= await (await route.fetch()).json()
    await route.fulfill({ json: cases })
  })
  await seller.page.reload()
  await seller.page.getByRole('button', { name: 'Connect to refund' }).click()
  await seller.page.getByRole('button', { name: 'Refund 0.4 SOL' }).click()
  await expect(seller.page.getByRole('alert').filter({ hasText: 'The refund is on its way' })).toBeVisible()
  await expect(seller.page.getByRole('button', { name: /Refund/ })).toHaveCount(0)
  await seller.page.reload()
  await expect(attention(seller.page)).toContainText('The refund is on its way')
  await expect(seller.page.getByRole('button', { name: /refund/i })).toHaveCount(0)
  await seller.page.unroute(/\/cases(?:\?|$)/)
  await expectRefunded(sides)
})

test('a prepared refund that is not the one shown never reaches the wallet', async ({ signedIn, trader }) => {
  test.slow()
  const sides = { seller: await signedIn({ sol: 1 }), buyer: await trader({ sol: 2 }) }
  const { seller } = sides
  await payWrongly(sides)
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

/** A buyer pays 0.4 SOL for a listing of 0.5 SOL, and the seller sees the case. */
async function payWrongly({ seller, buyer }: Sides): Promise<void> {
  await list(seller, 'APPLE_JUICE', 5, 0.5)
  await payByHand(buyer, seller.address, 0.4)
  await expect.poll(() => lamportsOf(seller.origin, seller.address)).toBe(1.4 * LAMPORTS_PER_SOL)
  await expect(attention(seller.page)).toContainText('0.4 SOL for 5 Apple Juice', { timeout: 45_000 })
}

async function expectRefunded({ seller, buyer }: Sides): Promise<void> {
  await expect.poll(() => lamportsOf(buyer.origin, buyer.address)).toBe(2 * LAMPORTS_PER_SOL - 5_000)
  await expect(seller.page.getByText('0.4 SOL for 5 Apple Juice')).toHaveCount(0, { timeout: 45_000 })
}

function attention(page: Page) {
  return page.getByRole('region', { name: 'Needs attention' })
}
