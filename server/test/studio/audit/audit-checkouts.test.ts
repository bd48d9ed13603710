import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { type CheckoutRow, draftCheckout } from '../../../src/checkouts/checkout.ts'
import { readLedger } from '../../../src/studio/audit/ledger-check-store.ts'
import { createCheckout } from '../../../src/studio/checkouts/change-checkouts.ts'
import { offer } from '../../purchases/baskets/store-market.ts'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { heldPurchase, settledPurchase, useSaleMarket } from '../sales/sale-market.ts'

const market = useSaleMarket()
const AMOUNT = 3
const ROOT = { kind: 'root', name: 'root key', scopes: ['checkout'], namespace: '' } as const

let made = 0
let price = 3_000_000n
let checkout: CheckoutRow

/** A checkout that is paid for as it asks. */
beforeEach(async () => {
  checkout = await open()
  await settledPurchase(market, market.buyer, await items(), { checkout: checkout.publicId })
})

async function open(): Promise<CheckoutRow> {
  const idempotencyKey = `order ${++made}`
  const asked = { tokenType: 'APPLE_JUICE', amount: AMOUNT, returnUrl: 'https://game.example/', idempotencyKey }
  const draft = draftCheckout(asked, { catalogue: defaultCatalogue, origins: ['https://game.example'] })
  return createCheckout(market.database, draft, { key: ROOT, idempotencyKey })
}

/** Each for another price: what a buyer holds twice for the same one could not be told apart. */
const items = async () => [{ listingId: await offer(market, market.seller, { amount: AMOUNT, price: (price += 3_000_000n) }) }]
const found = async () => (await readLedger(market.database)).violations
const mismatch = (status: string) => [{ invariant: 'I7', detail: `checkout ${checkout.id} (${status}) does not match its purchases` }]

/** Changes rows behind the market's back, until the test ends. */
async function plant(change: string, undo: string): Promise<void> {
  await market.query(change)
  onTestFinished(async () => void (await market.query(undo)))
}

it('a check that takes long is ended by its signal, also in the database', async () => {
  const lock = await market.connection.pool.connect()
  onTestFinished(() => lock.release())
  await lock.query('begin')
  onTestFinished(async () => void (await lock.query('rollback')))
  await lock.query('lock table checkouts in access exclusive mode')
  const stopping = new AbortController()
  const check = readLedger(market.database, stopping.signal)
  const waiting = async () =>
    (await market.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount
  await expect.poll(waiting).toBe(1)
  stopping.abort()
  await expect(check).rejects.toThrow('canceling statement')
  expect(await waiting()).toBe(0)
})

it('finds nothing wrong with checkouts that are open, being paid and completed', async () => {
  const { publicId } = await open()
  expect(await found()).toEqual([])
  await heldPurchase(market, market.buyer, await items(), { checkout: publicId })
  expect(await found()).toEqual([])
})

it.each([
  ['amount', 'amount + 1', 'amount - 1'],
  ['token_type', `'GRAPE_SODA'`, `'APPLE_JUICE'`],
])('names a completed checkout of another %s than its purchase', async (column, wrong, right) => {
  const set = (value: string) => `update checkouts set ${column} = ${value} where id = '${checkout.id}'`
  await plant(set(wrong), set(right))
  expect(await found()).toEqual(mismatch('completed'))
})

it('names a completed checkout without a purchase', async () => {
  const [{ purchase_id: paid } = { purchase_id: '' }] = (
    await market.query(`select purchase_id from checkouts where id = '${checkout.id}'`)
  ).rows as { purchase_id: string }[]
  const set = (value: string) => `update purchases set checkout_id = ${value} where id = '${paid}'`
  await plant(set('null'), set(`'${checkout.id}'`))
  expect(await found()).toEqual(mismatch('completed'))
})

it.each(['open', 'expired'])('names a checkout that is %s although it was paid', async (status) => {
  const paid = `(select id from purchases where checkout_id = '${checkout.id}')`
  const set = (value: string, purchase: string) =>
    `update checkouts set status = '${value}', purchase_id = ${purchase} where id = '${checkout.id}'`
  await plant(set(status, 'null'), set('completed', paid))
  expect(await found()).toEqual(mismatch(status))
})

it('names a checkout that two purchases pay for at the same time', async () => {
  checkout = await open()
  await heldPurchase(market, market.buyer, await items(), { checkout: checkout.publicId })
  const second = await heldPurchase(market, market.buyer, await items())
  const set = (value: string) => `update purchases set checkout_id = ${value} where id = '${second}'`
  await plant(set(`'${checkout.id}'`), set('null'))
  expect(await found()).toEqual(mismatch('paying'))
})
