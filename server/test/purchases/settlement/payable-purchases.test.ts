import { parseSignature } from '@juicebar/contract/addresses'
import { beforeAll, expect, it } from 'vitest'

import { addHeldPurchases, type HeldPurchase } from '../../../bench/databases/held-purchases.ts'
import { listPayablePurchases } from '../../../src/purchases/settlement/settlement-store.ts'
import { createWallet } from '../../sign-in/wallet.ts'
import { useDatabase } from '../../support/fresh-database.ts'

const opened = useDatabase()
let purchases: HeldPurchase[]
beforeAll(async () => void (purchases = await addHeldPurchases(opened.pool.pg, { count: 120, sellers: 120 })))

const list = ({ listingId, buyer, signature }: Pick<HeldPurchase, 'listingId' | 'buyer' | 'signature'>) =>
  listPayablePurchases(opened.database, { listingId, buyer: buyer.wallet, signature })
const idsOf = async (asked: Parameters<typeof list>[0]) => (await list(asked)).map(({ purchase }) => purchase.id)

it('buyers who ask at the same time each get their own purchases', async () => {
  expect(await Promise.all(purchases.map(idsOf))).toEqual(purchases.map(({ purchaseId }) => [purchaseId]))
  const [one, other] = purchases as [HeldPurchase, HeldPurchase, ...HeldPurchase[]]
  expect(await idsOf({ ...one, buyer: other.buyer })).toEqual([])
})

it('the purchase of a recorded payment comes first, then the open hold, then the newest', async () => {
  const [held] = purchases as [HeldPurchase, ...HeldPurchase[]]
  // Identifiers sort by age: the first digit says it here.
  const add = async (age: number) => {
    const { rows } = await opened.pool.query<{ id: string }>(
      `with copy as (
         insert into purchases (buyer, sellers, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, status,
           end_reason, ended_at, id)
         select buyer, sellers, price_lamports, reference || $2, genesis_hash, held_at_slot, server_sends, pay_before, 'ended',
           'lapsed', now() - interval '2 days', overlay(id::text placing to_hex(9 - $2::integer) from 1 for 1)::uuid
         from purchases where id = $1 returning id
       )
       insert into purchase_items (purchase_id, place, listing_id, seller, token_type, amount, price_lamports)
       select copy.id, place, listing_id, seller, token_type, amount, price_lamports from purchase_items, copy where purchase_id = $1
       returning purchase_id as id`,
      [held.purchaseId, age],
    )
    return rows[0]!.id
  }
  const [newest, older, oldest] = [await add(1), await add(2), await add(3)]
  const signature = parseSignature(createWallet().sign('paid'))!
  await opened.pool.query(
    `insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status)
     values ($1, 'purchase', $2, 'x', '\\x01', 7, 'void')`,
    [signature, older],
  )
  expect(await idsOf(held)).toEqual([held.purchaseId, newest, older, oldest])
  const [first, ...others] = await list({ ...held, signature })
  expect(first).toMatchObject({
    purchase: { id: older },
    payment: { signature, purchaseId: older, kind: 'purchase', status: 'void', expiryHeight: 7n },
  })
  expect(others.map(({ purchase, payment }) => [purchase.id, payment])).toEqual(
    [held.purchaseId, newest, oldest].map((id) => [id, undefined]),
  )
})
