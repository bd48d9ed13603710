import { readFile } from 'node:fs/promises'

import { type Purchase } from '@juicebar/contract/schemas'
import { type Page } from '@playwright/test'

import { list } from './support/api-listing.ts'
import { expectAccessible } from './support/accessible.ts'
import { holdByHand, listingsOf, payHold } from './support/pay-by-hand.ts'
import { expect, test } from './support/test.ts'
import { type Trader } from './support/trader.ts'

test('a purchase of several sellers is one row with its items, and each seller sees only their own', async ({ signedIn, trader }) => {
  test.slow()
  const one = await trader({ sol: 1 })
  await list(one, 'APPLE_JUICE', 40, 0.4)
  const two = await signedIn({ sol: 1 })
  await list(two, 'GRAPE_SODA', 5, 0.25)
  const buyer = await signedIn({ sol: 2 })
  const items = [{ listingId: await listingOf(buyer, one.address), amount: 10 }, { listingId: await listingOf(buyer, two.address) }]
  await payHold(buyer, await holdByHand(buyer, items))

  await buyer.page.getByRole('tab', { name: 'Inventory' }).click()
  const row = rowOf(buyer.page, '15 drinks')
  await expect(row).toContainText('Delivered', { timeout: 45_000 })
  await expect(row).toContainText('from 2 sellers')
  await expect(row).toContainText('0.35 SOL')
  await expect(row.getByText('2 listings')).toBeVisible()
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
  await row.getByText('5 listings').click()
  await expect(items).toHaveCount(6)
  await expect(items.last()).toHaveText('Studio’s fee0.0375 SOL')
  await expectAccessible(page)
  const [head = '', ...lines] = await download(page)
  const columns = head.split(',')
  const sum = (name: string) => lines.reduce((total, line) => total + Number(line.split(',')[columns.indexOf(name)]), 0)
  expect(sum('lamports')).toBe(1_500_000_000)
  expect(sum('feeLamports')).toBe(37_500_000)
})

test('the profit of each drink follows what is bought and sold, and its file holds everything', async ({ signedIn }) => {
  test.slow()
  const seller = await signedIn({ sol: 1 })
  await list(seller, 'APPLE_JUICE', 40, 0.4)
  const buyer = await signedIn({ sol: 2 })
  await seller.page.getByRole('tab', { name: 'Inventory' }).click()
  await seller.page.getByText('Profit', { exact: true }).click()
  const profit = seller.page.getByRole('tabpanel').locator('section', { hasText: 'History' })
  const apple = profit.getByRole('listitem').filter({ hasText: 'Apple Juice' })
  await expect(apple).toContainText('0 SOL')
  await expectAccessible(seller.page)

  await payHold(buyer, await holdByHand(buyer, [{ listingId: await listingOf(buyer, seller.address), amount: 10 }]))
  await expect(apple).toContainText('+0.1 SOL', { timeout: 45_000 })
  await expect(apple).toContainText('for 0.1 SOL, cost 0 SOL')
  await expect(profit).toContainText('drinks that were credited cost nothing')

  await buyer.page.getByRole('tab', { name: 'Inventory' }).click()
  await buyer.page.getByText('Profit', { exact: true }).click()
  await expect(buyer.page.getByRole('listitem').filter({ hasText: 'Apple Juice' }).last()).toContainText('Bought10for 0.1 SOL')
  const lines = await download(buyer.page, 'Download everything as CSV')
  expect(lines[0]).toBe('time,kind,item,amount,SOL,fee,signature,counterparty,note,id')
  expect(lines.at(-2)).toMatch(
    new RegExp(`^20.*Z,bought,Apple Juice,10,0\\.100000000,0\\.000000000,\\w{80,90},${seller.address},,[0-9a-f-]{36}\\.01$`),
  )
  expect(lines.at(-1)).toBe('')
})

test.describe('a ledger of many pages', () => {
  test.use({ allowedErrors: /Failed to load resource/ })

  test('tells how far it is, and goes on where it stopped', async ({ signedIn }) => {
    const { page } = await signedIn({ sol: 0 })
    const entry = {
      kind: 'credited',
      tokenType: 'APPLE_JUICE',
      amount: 1,
      lamports: '0',
      feeLamports: '0',
      signature: null,
      counterparty: null,
      undone: false,
      at: '2030-01-01T00:00:00.000Z',
    }
    const asked: string[] = []
    let isDown = true
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/my-ledger*', async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor') ?? ''
      asked.push(cursor)
      if (cursor === '3' && isDown)
        return route.fulfill({ status: 400, json: { error: 'The cursor is not valid.', code: 'CURSOR_INVALID' } })
      if (cursor === '1') await held
      const from = Number(cursor) * 1_000
      const entries = Array.from({ length: 1_000 }, (_, n) => ({ ...entry, id: String(from + n) }))
      return route.fulfill({ json: { entries, nextCursor: cursor === '4' ? null : String(Number(cursor) + 1) } })
    })
    await page.getByRole('tab', { name: 'Inventory' }).click()
    await page.getByText('Profit', { exact: true }).click()
    await page.getByRole('button', { name: 'Download everything as CSV' }).click()
    await expect(page.getByText('Collecting: 1,000 lines so far')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible()
    release()
    await expect(page.getByText('Stopped after 3,000 lines, and nothing was saved. The cursor is not valid.')).toBeVisible()
    await expectAccessible(page)
    isDown = false
    expect(await download(page, 'Go on')).toHaveLength(1 + 5_000 + 1)
    expect(asked).toEqual(['', '1', '2', '3', '3', '4'])
    await expect(page.getByRole('button', { name: 'Download everything as CSV' })).toBeVisible()
  })
})

async function listingOf(player: Trader, seller: string): Promise<string> {
  const [listing] = await listingsOf(player, seller)
  return listing?._id ?? ''
}

function rowOf(page: Page, drinks: string) {
  return page.getByRole('tabpanel').locator('section', { hasText: 'History' }).locator('ul').first().locator('> li', { hasText: drinks })
}

/** The lines of the CSV file. */
async function download(page: Page, button = 'Download CSV'): Promise<string[]> {
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  return (await readFile(await (await saved).path(), 'utf8')).split('\r\n')
}

function purchaseWithFee(buyer: string, listings: number): Purchase {
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
    amount: 3 * listings,
    price: 0.3 * listings,
    lamports: `${300_000_000 * listings}`,
    items: Array.from({ length: listings }, (_, index) => item(index)),
    fee: { lamports: `${7_500_000 * listings}`, basisPoints: 250 },
    status: 'settled',
    endReason: null,
    stage: 'delivered',
    signature: null,
    reference: '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW',
    coSigned: false,
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
