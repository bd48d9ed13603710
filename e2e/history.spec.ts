import { readFile } from 'node:fs/promises'

import { type Purchase } from '@juicebar/contract/schemas'
import { type Page } from '@playwright/test'

import { expectAccessible } from './support/accessible.ts'
import { holdByHand, listingsOf, payHold } from './support/pay-by-hand.ts'
import { expect, type Player, sell, test } from './support/test.ts'

test('a purchase of several sellers is one row with its items, and each seller sees only their own', async ({ signedIn, baseURL }) => {
  test.slow()
  const one = await signedIn({ sol: 1 })
  await sell(one.page, 'Apple Juice', 40, 0.4)
  const two = await signedIn({ sol: 1 })
  await sell(two.page, 'Grape Soda', 5, 0.25)
  const buyer = await signedIn({ sol: 2 })
  const items = [{ listingId: await listingOf(buyer, one.address), amount: 10 }, { listingId: await listingOf(buyer, two.address) }]
  await payHold(buyer, await holdByHand(buyer, items), baseURL ?? '')

  await buyer.page.getByRole('tab', { name: 'Inventory' }).click()
  const row = rowOf(buyer.page, '15 drinks')
  await expect(row).toContainText('Delivered', { timeout: 45_000 })
  await expect(row).toContainText('from 2 sellers')
  await expect(row).toContainText('0.35 SOL')
  await expect(row.getByText('2 lots')).toBeVisible()
  await expect(row.getByRole('listitem')).toHaveText([
    `10 Apple Juicefrom ${one.address.slice(0, 8)}…0.1 SOL`,
    `5 Grape Sodafrom ${two.address.slice(0, 8)}…0.25 SOL`,
  ])
  await expect(buyer.page.getByRole('tabpanel')).not.toContainText(/fee/i)
  await expectAccessible(buyer.page)
  const lines = await download(buyer.page)
  expect(lines).toHaveLength(3)
  expect(lines[0]).not.toMatch(/fee/)
  expect(lines[1]).toContain(`,Apple Juice,10,0.1,100000000,${buyer.address},${one.address},`)
  expect(lines[2]).toContain(`,Grape Soda,5,0.25,250000000,${buyer.address},${two.address},`)

  await two.page.getByRole('tab', { name: 'Inventory' }).click()
  await two.page.getByText('Sales', { exact: true }).click()
  const sale = rowOf(two.page, '5 Grape Soda')
  await expect(sale).toContainText(`to ${buyer.address.slice(0, 8)}…`)
  await expect(sale).toContainText('0.25 SOL')
  await expect(sale).not.toContainText('Apple Juice')
  expect(await download(two.page)).toHaveLength(2)
})

test('the fee and the total of a purchase are told, and add up in the file', async ({ signedIn }) => {
  const { page, address } = await signedIn({ sol: 0 })
  await page.route(/my-purchases\?role=buyer/, (route) => {
    const asked = new URL(route.request().url()).searchParams
    return route.fulfill({ json: { purchases: asked.has('status') ? [] : [purchaseWithFee(address, 5)], nextCursor: null } })
  })
  await page.reload()
  await page.getByRole('tab', { name: 'Inventory' }).click()
  const row = rowOf(page, '15 Apple Juice')
  await expect(row).toContainText('1.5375 SOLincl. 0.0375 SOL fee')
  const items = row.getByRole('listitem')
  await expect(items.first()).toBeHidden()
  await row.getByText('5 lots').click()
  await expect(items).toHaveCount(6)
  await expect(items.last()).toHaveText('Studio’s fee0.0375 SOL')
  await expectAccessible(page)
  const [head = '', ...lines] = await download(page)
  const columns = head.split(',')
  const sum = (name: string) => lines.reduce((total, line) => total + Number(line.split(',')[columns.indexOf(name)]), 0)
  expect(sum('lamports')).toBe(1_500_000_000)
  expect(sum('feeLamports')).toBe(37_500_000)
})

async function listingOf(player: Player, seller: string): Promise<string> {
  const [listing] = await listingsOf(player, seller)
  return listing?._id ?? ''
}

function rowOf(page: Page, drinks: string) {
  return page.getByRole('tabpanel').locator('section', { hasText: 'History' }).locator('ul').first().locator('> li', { hasText: drinks })
}

/** The lines of the CSV file. */
async function download(page: Page): Promise<string[]> {
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  return (await readFile(await (await saved).path(), 'utf8')).split('\r\n')
}

function purchaseWithFee(buyer: string, lots: number): Purchase {
  const item = (index: number): Purchase['items'][number] => ({
    listingId: `listing-${index}`,
    partOf: null,
    seller: '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW',
    tokenType: 'APPLE_JUICE',
    tokenName: 'Apple Juice',
    amount: 3,
    lamports: '300000000',
    price: 0.3,
  })
  return {
    ...item(0),
    purchaseId: 'purchase',
    buyer,
    amount: 3 * lots,
    price: 0.3 * lots,
    lamports: `${300_000_000 * lots}`,
    items: Array.from({ length: lots }, (_, index) => item(index)),
    fee: { lamports: `${7_500_000 * lots}`, basisPoints: 250 },
    status: 'settled',
    endReason: null,
    stage: 'delivered',
    signature: null,
    reference: '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW',
    sendsThrough: 'server',
    payBefore: '2026-01-01T00:01:00.000Z',
    payMillisLeft: 0,
    waitsForStudio: false,
    releaseReason: null,
    cooldownUntil: null,
    earlierChain: false,
    finalized: true,
    createdAt: '2026-01-01T00:00:00.000Z',
    settledAt: '2026-01-01T00:00:10.000Z',
  }
}
