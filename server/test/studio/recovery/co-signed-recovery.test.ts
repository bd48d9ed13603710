import { expect, it, vi } from 'vitest'
import { continueRecovery } from '../../../src/studio/recovery/continue-recovery.ts'
import { findRecovery, insertRecovery } from '../../../src/studio/recovery/recovery-store.ts'
import { endRewind, findOpenRewind, insertRewind } from '../../../src/studio/recovery/rewind-store.ts'
import { transfer } from '../../purchases/transactions.ts'
import { useTradingWorld } from '../../purchases/trading-world.ts'

const world = useTradingWorld({ pageSize: 2 })

/** Recovers to the end. Returns what the recovery found. */
async function recover() {
  const { database } = world
  const id = await database.transaction().execute(async (tx) => {
    await insertRewind(tx, 'asked', undefined)
    await tx.updateTable('rewinds').set({ expiryHeight: 0n }).execute()
    return (await insertRecovery(tx, (await findOpenRewind(tx))!.id, undefined))!
  })
  while (await continueRecovery(world.deps, { signal: AbortSignal.timeout(30_000) }));
  const found = (await findRecovery(database, id))!
  await database.transaction().execute((tx) => endRewind(tx, found.rewindId, 'test'))
  return found
}

/** As if each part of a history were as long as a read can be. */
function readOnePageAtOnce(): void {
  const finalized = world.chain.finalized.bind(world.chain)
  vi.spyOn(world.chain, 'finalized').mockImplementation(async (options) => {
    const view = await finalized(options)
    const { coSigners } = world.deps
    return { ...view, history: (of, range) => view.history(of, { ...range, pages: of === coSigners.current ? 1 : range.pages }) }
  })
}

it('a recovery finds what the market has signed, even for sellers that it does not know, and once', async () => {
  await world.untilStatus(await world.buyCoSigned(world.buyer, [{ listingId: await world.list() }]), 'settled')
  // Neither a seller that the database knows nor a fee wallet receives anything of this payment.
  const newcomer = await world.createWallet()
  const offer = await world.offer(world.buyer, [{ listingId: await world.list() }])
  const lost = { ...offer, transfers: offer.transfers.map((transferred) => ({ ...transferred, to: newcomer.address })) }
  const signature = await world.sendByWallet(world.coSign(offer, await world.signOffer(world.buyer, lost)))
  // Whoever would hide it sends so much after it that it takes several reads.
  for (let n = 1n; n <= 5n; n++) await world.transact(world.rival, transfer(world.rival, world.rival.address, n, [offer.coSigner]))
  await world.mine(64)
  readOnePageAtOnce()
  const first = await recover()
  expect(first).toMatchObject({ casesOpened: 1, uncheckedCount: 0 })
  expect(await world.casesAbout(signature, newcomer)).toMatchObject([
    { kind: 'lost', seller: newcomer.address, buyer: world.buyer.address },
  ])
  const { rows } = await world.connection.pool.query('select signature from unmatched_payments')
  expect(rows).toEqual([{ signature }])
  expect(await recover()).toMatchObject({ casesOpened: 0, uncheckedCount: 0 })
})
