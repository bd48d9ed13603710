import { type Page } from '@playwright/test'

import { expectAccessibleByDayAndNight } from './support/accessible.ts'
import { list, remove } from './support/api-listing.ts'
import { banner, expect, fullOnly, LAMPORTS_PER_SOL, lamportsOf, test } from './support/test.ts'

async function openDemoWallet(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('button', { name: 'Select Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo Wallet/ })
    .click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText('5.0000 SOL')).toBeVisible()
}

const bestPrice = (page: Page, drink: string) => page.getByRole('region', { name: `${drink} at the best price` })
const howMany = (page: Page) => page.getByRole('spinbutton', { name: 'How many' })
const basket = (page: Page) => page.getByRole('region', { name: 'Basket' })

async function choose(page: Page, drink: string, amount: number): Promise<void> {
  await page.getByText(drink, { exact: true }).first().click()
  await howMany(page).fill(String(amount))
}

// One at a time: each test is about the cheapest drinks of one kind on a market that all share.
test.describe.configure({ mode: 'serial' })

for (const width of [390, 1280]) {
  test(
    `an amount is bought from several sellers with one approval, at ${width} pixels`,
    fullOnly(width !== 1280),
    async ({ trader, openContext, baseURL }) => {
      const [first, second] = [await trader({ sol: 1 }), await trader({ sol: 1 })]
      await list(first, 'GRAPE_SODA', 10, 0.01)
      const rest = await list(second, 'GRAPE_SODA', 20, 0.04)
      const context = await openContext({ viewport: { width, height: 844 } })
      const page = await context.newPage()
      await openDemoWallet(page)

      await choose(page, 'Grape Soda', 15)
      const panel = bestPrice(page, 'Grape Soda')
      await expect(panel).toContainText('From2 sellers')
      await expect(panel).toContainText('Highest unit price0.002 SOL')
      await panel.getByRole('button', { name: 'Buy 15 for 0.02 SOL' }).click()
      const payment = page.getByRole('dialog', { name: 'Demo Wallet: Send this payment' })
      await expect(payment).toContainText('0.02 SOL in 2 transfers')
      for (const { address } of [first, second]) await expect(payment).toContainText(address)
      await expect(page.getByText('15 Grape Soda from 2 sellers for 0.02 SOL').first()).toBeAttached()
      await payment.getByRole('button', { name: 'Approve' }).click()
      await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
      for (const { address } of [first, second]) await expect.poll(() => lamportsOf(baseURL ?? '', address)).toBe(1.01 * LAMPORTS_PER_SOL)
      // It has risen, but only because of this purchase: nothing is to be accepted.
      await expect(panel.getByRole('button', { name: 'Buy 15 for 0.03 SOL' })).toBeEnabled()
      await page.getByRole('tab', { name: 'Inventory' }).click()
      await expect(page.getByRole('article').filter({ hasText: 'Grape Soda' })).toContainText('65')
      await remove(second, rest)
    },
  )
}

test('the higher price of another drink has not risen', async ({ page, trader }) => {
  const seller = await trader({ sol: 0 })
  const listed = [await list(seller, 'APPLE_JUICE', 10, 0.001), await list(seller, 'ORANGE_JUICE', 10, 0.5)]
  await page.goto('/?tokenType=APPLE_JUICE')
  await expect(bestPrice(page, 'Apple Juice').getByRole('button', { name: 'Buy 10 for 0.001 SOL' })).toBeEnabled()
  await page.getByText('Orange Juice', { exact: true }).first().click()
  const panel = bestPrice(page, 'Orange Juice')
  await expect(panel.getByRole('button', { name: /^(?:Buy 10 for|Accept) [\d.]+ SOL$/ })).toBeEnabled()
  await expect(panel).not.toContainText('a moment ago')
  for (const id of listed) await remove(seller, id)
})

test.describe('an order that was shown before the market moved', () => {
  test.use({ allowedErrors: /Failed to load resource/ })

  test('a price that rises has to be accepted, and is never paid without', async ({ signedIn, trader }) => {
    const [first, second, buyer] = [await trader({ sol: 1 }), await trader({ sol: 1 }), await signedIn({ sol: 1 })]
    const cheap = await list(first, 'ORANGE_JUICE', 5, 0.005)
    const dear = await list(second, 'ORANGE_JUICE', 5, 0.01)
    const { page } = buyer
    await choose(page, 'Orange Juice', 5)
    const panel = bestPrice(page, 'Orange Juice')
    await expect(panel.getByRole('button', { name: 'Buy 5 for 0.005 SOL' })).toBeEnabled()

    // The market moves while the buyer looks at the price.
    await remove(first, cheap)
    await expect(panel).toContainText('It was 0.005 SOL a moment ago.')
    await panel.getByRole('button', { name: 'Accept 0.01 SOL' }).click()
    await expect(panel.getByRole('button', { name: 'Buy 5 for 0.01 SOL' })).toBeFocused()

    // The market moves, and the buyer is quicker than the page: the server refuses, and nothing is paid.
    await page.route('**/api/marketplace/quote*', (route) => route.abort())
    await remove(second, dear)
    await panel.getByRole('button', { name: 'Buy 5 for 0.01 SOL' }).click()
    await expect(banner(page)).toContainText(
      'Someone else was faster. Your payment was not sent. This is the best price now; check it before you buy.',
    )
    await page.unroute('**/api/marketplace/quote*')
    await howMany(page).fill('6')
    await expect(panel.getByRole('button', { name: /^Buy 6 for / })).toBeEnabled()
    await expect(page.getByText('1.0000 SOL')).toBeVisible()
  })
})

test('a hold of several listings survives a reload, says what it is in words, and is then paid', async ({ signedIn, trader, baseURL }) => {
  const [first, second, buyer] = [await trader({ sol: 1 }), await trader({ sol: 1 }), await signedIn({ sol: 1 })]
  await list(first, 'ORANGE_JUICE', 10, 0.01)
  const rest = await list(second, 'ORANGE_JUICE', 20, 0.04)
  const { page, phantom } = buyer
  await phantom.refuse(page, -32603)
  await choose(page, 'Orange Juice', 15)
  await page.getByRole('button', { name: 'Buy 15 for 0.02 SOL' }).click()
  await expect(banner(page)).toContainText('No SOL moved. Your items stay reserved for you')

  await page.reload()
  const waiting = page.getByRole('region', { name: 'Needs attention' })
  await expect(waiting).toContainText('15 Orange Juice from 2 sellers for 0.02 SOL')
  await waiting.getByRole('button', { name: 'Connect to pay' }).click()
  await waiting.getByRole('button', { name: 'Pay now' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Purchase successful!' })).toBeVisible()
  await expect(waiting).toBeHidden()
  for (const { address } of [first, second]) await expect.poll(() => lamportsOf(baseURL ?? '', address)).toBe(1.01 * LAMPORTS_PER_SOL)
  await remove(second, rest)
})

test('a drink that nobody sells has no price', async ({ page }) => {
  const nothing = {
    items: [],
    amount: 0,
    lamports: '0',
    price: 0,
    fee: { lamports: '0', basisPoints: 0 },
    averageUnitPrice: null,
    highestUnitPrice: null,
    complete: false,
  }
  await page.route('**/api/marketplace/quote*', (route) => route.fulfill({ json: nothing }))
  await page.goto('/')
  await page.getByText('Apple Juice', { exact: true }).first().click()
  await expect(bestPrice(page, 'Apple Juice')).toContainText('Nobody sells Apple Juice right now.')
  await expect(bestPrice(page, 'Apple Juice').getByRole('button')).toHaveText(['Tell me'])
})

test('the best price and the basket work with the keyboard alone, and are accessible', async ({ openContext, signedIn }) => {
  const { page } = await signedIn({ profile: await openContext({ viewport: { width: 390, height: 844 } }), sol: 0 })
  await page.getByRole('radio', { name: 'All' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(bestPrice(page, 'Apple Juice').getByRole('button', { name: /^Buy 10 for/ })).toBeEnabled()
  await howMany(page).focus()
  await page.keyboard.press('ArrowUp')
  await expect(bestPrice(page, 'Apple Juice').getByRole('button', { name: /^Buy 11 for/ })).toBeEnabled()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(bestPrice(page, 'Apple Juice').getByRole('button', { name: /^Buy 12 for/ })).toBeEnabled()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Home')
  await expect(howMany(page)).toHaveValue('1')
  await page.getByRole('article').first().getByRole('button', { name: 'Basket' }).focus()
  await page.keyboard.press('Enter')
  await basket(page)
    .getByRole('button', { name: /^Basket/ })
    .focus()
  await page.keyboard.press('Enter')
  await expectAccessibleByDayAndNight(page)
  await basket(page)
    .getByRole('button', { name: /^Take out/ })
    .focus()
  await page.keyboard.press('Enter')
  await expect(basket(page)).toHaveCount(0)
  await expect(page.getByRole('tabpanel')).toBeFocused()
})

test('a visitor sees the best price, and is led to a wallet', async ({ page }) => {
  await page.goto('/')
  await choose(page, 'Apple Juice', 3)
  await bestPrice(page, 'Apple Juice')
    .getByRole('button', { name: /^Buy 3 for/ })
    .click()
  await expect(page.getByRole('dialog', { name: "You'll need a wallet on Solana to continue" })).toBeVisible()
})

for (const width of [320, 1280]) {
  test(`the longest numbers of a best price fit, with its fee, at ${width} pixels`, fullOnly(width !== 320), async ({ openContext }) => {
    const context = await openContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    await page.route('**/api/marketplace/quote*', (route) => route.fulfill({ json: longQuote() }))
    await page.goto('/')
    await choose(page, 'Apple Juice', 1_000_000_000)
    await expect(howMany(page)).toHaveAccessibleDescription('A whole number from 1 to 999,999,999')
    await expect(howMany(page)).toHaveAttribute('aria-invalid', 'true')
    const panel = bestPrice(page, 'Apple Juice')
    await expect(panel.getByRole('button', { name: 'Buy 999,999,999 for 1,099,999.999999998 SOL' })).toBeVisible()
    await expect(panel).toContainText('Only 999,999,999 can be bought in one purchase right now.')
    await expect(panel).toContainText('Studio fee (10%)99,999.999999999 SOL')
    expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  })
}

function longQuote() {
  const item = { tokenType: 'APPLE_JUICE', amount: 1, lamports: '1', price: 1e-9 }
  return {
    items: Array.from({ length: 10 }, (_, index) => ({ ...item, listingId: `l${index}`, seller: `seller-${index}` })),
    amount: 999_999_999,
    lamports: '999999999999999',
    price: 999_999.999999999,
    fee: { lamports: '99999999999999', basisPoints: 1000 },
    averageUnitPrice: 0.000_999_999_999,
    highestUnitPrice: 123_456.789,
    complete: false,
  }
}
