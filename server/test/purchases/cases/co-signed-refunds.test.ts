import { base64 } from '@scure/base'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Chain } from '../../../src/chain/chain.ts'
import { UnconfirmedCommitError } from '../../../src/database/hosts.ts'
import { PooledConnection } from '../../../src/database/database-pool.ts'
import { closeCase } from '../../../src/purchases/cases/open-case.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { coSignedTransfer, signAsBuyer, withOtherSignature } from '../co-signed/co-signed-transactions.ts'
import { refusal, useTradingWorld, type Wallet } from '../trading-world.ts'
import { type SignedPayment, transfer } from '../transactions.ts'
import { endWaits } from '../waits-over.ts'

const world = useTradingWorld()
beforeEach(() => vi.restoreAllMocks())

/** A late payment whose listing a rival holds: it may still be delivered, and its seller may pay it back. */
async function payLate(seller: Wallet = world.seller) {
  const purchase = await world.hold(world.buyer, await world.list(seller))
  await world.cancel(world.buyer, purchase)
  const rivalHold = await world.hold(world.rival, purchase.listingId)
  const signature = await world.payByWallet(world.buyer, purchase)
  const confirm = () => world.confirm(world.buyer, purchase.listingId, signature)
  await expect(confirm()).rejects.toEqual(refusal('PAYMENT_CASE'))
  const [found] = await world.casesAbout(signature, seller)
  const deliver = () => world.cancel(world.rival, rivalHold).then(confirm)
  return { found: found!, caseId: found!.caseId, purchase, signature, rivalHold, confirm, deliver, seller }
}

type Late = Awaited<ReturnType<typeof payLate>>

const prepare = ({ caseId, seller }: Late) => world.prepareRefund(seller, { caseId }, { coSigned: true })
const sign = (late: Late) => world.signRefund(late.seller, late, { coSigned: true })
const submit = ({ caseId, seller }: Late, { base64 }: SignedPayment, on = world) => submitRefund(on.deps, seller.address, caseId, base64)
/** A transfer as the refund's, signed by the seller alone. */
const signPrepared = (
  { seller }: Late,
  to: Wallet,
  amount: bigint,
  names: { reference: string; coSigner: string },
  version: 'legacy' | 0 = 0,
) => signAsBuyer(world, seller, [coSignedTransfer(seller, to.address, amount, names)], { version })
const statusOf = async ({ purchase }: Late) => (await world.read(purchase.purchaseId)).status
const balanceOf = ({ address }: Wallet) => world.chain.balance(address, { fresh: true })
/** The one case of a late payment, as its seller sees it. */
const untilCaseIs = ({ signature, seller }: Late, status: string) =>
  world.reconcileUntil(async () => expect(await world.casesAbout(signature, seller)).toMatchObject([{ status }]))

describe('a refund that only the market can send', () => {
  it('names the market’s own key for refunds, and pays the buyer back once its seller has signed it', async () => {
    const late = await payLate()
    const { coSigner, reference, lamports } = await prepare(late)
    expect(coSigner).toBe(world.deps.coSigners.refund)
    const before = await balanceOf(world.buyer)
    const refund = await sign(late)
    expect(await submit(late, refund)).toBe(refund.signature)
    await world.untilCase(late.signature, { status: 'refunded', refundSignature: refund.signature })
    expect(await balanceOf(world.buyer)).toBe(before + BigInt(lamports))
    const landed = await world.chain.transaction(refund.signature)
    expect(landed?.signers).toEqual([world.seller.address, coSigner])
    expect(landed?.instructions[0]?.accounts.slice(2)).toEqual([reference, coSigner])
  })

  it('excludes no delivery before it is submitted', async () => {
    const late = await payLate()
    const refund = await sign(late)
    expect(await late.deliver()).toMatchObject({ settled: true })
    const broadcast = vi.spyOn(world.chain, 'broadcast')
    await expect(submit(late, refund)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    expect(broadcast).not.toHaveBeenCalled()
  })

  it('excludes every delivery once it is submitted', async () => {
    const late = await payLate()
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await submit(late, await sign(late))
    expect(await world.casesAbout(late.signature)).toMatchObject([{ status: 'refunding', refundable: false }])
    await expect(late.deliver()).rejects.toEqual(refusal('PAYMENT_CASE'))
    expect(await statusOf(late)).toBe('ended')
  })

  it('and a delivery at the same moment never both happen', async () => {
    for (let round = 0; round < 6; round++) {
      const late = await payLate()
      const refund = await sign(late)
      await world.cancel(world.rival, late.rivalHold)
      const [delivered, refunded] = await Promise.allSettled([late.confirm(), submit(late, refund)])
      expect([delivered.status, refunded.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await statusOf(late)).toBe(delivered.status === 'fulfilled' ? 'settled' : 'ended')
    }
  })

  it('is not signed for a payment that was delivered, whatever its case says', async () => {
    const late = await payLate()
    const refund = await sign(late)
    await late.deliver()
    await world.connection.pool.query(`update cases set status = 'open', closed_at = null where id = $1`, [late.caseId])
    await expect(submit(late, refund)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    await world.connection.pool.query(`update cases set status = 'delivered', closed_at = now() where id = $1`, [late.caseId])
  })

  it('is not signed once a server has seen that its seller has paid back in another way', async () => {
    const late = await payLate()
    const refund = await sign(late)
    await world.connection.pool.query(`insert into refunds_seen values ($1, 'seen', 1000000)`, [late.caseId])
    await expect(submit(late, refund)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
  })

  it('is one refund, however often it is submitted', async () => {
    const late = await payLate()
    const refund = await sign(late)
    const broadcast = vi.spyOn(world.chain, 'broadcast')
    const answers = await Promise.all(Array.from({ length: 6 }, () => submit(late, refund)))
    expect(new Set(answers)).toEqual(new Set([refund.signature]))
    expect(broadcast).toHaveBeenCalledOnce()
    await world.untilCase(late.signature, { status: 'refunded' })
    expect(await submit(late, refund)).toBe(refund.signature)
  })

  it('is the only one of its case', async () => {
    const late = await payLate()
    const { reference, lamports, coSigner } = await prepare(late)
    const other = await signPrepared(late, world.buyer, BigInt(lamports), { reference, coSigner: coSigner! }, 'legacy')
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await submit(late, await sign(late))
    const simulate = vi.spyOn(world.chain, 'simulate')
    await expect(submit(late, other)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    expect(simulate).not.toHaveBeenCalled()
  })

  it('is not signed for a case that the studio closes while the chain is asked', async () => {
    const late = await payLate()
    const refund = await sign(late)
    const closing = world.withChain({
      simulate: async (...asked) => {
        await closeCase(world.deps, late.caseId, 'settled by mail')
        return world.chain.simulate(...asked)
      },
    })
    await expect(submit(late, refund, closing)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    expect(await world.casesAbout(late.signature)).toMatchObject([{ status: 'closed', refundSignature: null }])
  })

  it('whose commit has an unknown outcome is not sent by this server, and by whoever finds it after that', async () => {
    const late = await payLate()
    const refund = await sign(late)
    const broadcast = vi.spyOn(world.chain, 'broadcast')
    const original = PooledConnection.prototype.query
    vi.spyOn(PooledConnection.prototype, 'query').mockImplementation(async function (this: PooledConnection, text, values) {
      const result = await original.call(this, text, values)
      if (text === 'commit') throw new UnconfirmedCommitError()
      return result
    })
    await expect(submit(late, refund)).rejects.toBeInstanceOf(UnconfirmedCommitError)
    vi.mocked(PooledConnection.prototype.query).mockRestore()
    expect(await submit(late, refund)).toBe(refund.signature)
    expect(broadcast).not.toHaveBeenCalled()
    await world.untilCase(late.signature, { status: 'refunded', refundSignature: refund.signature })
  })

  it('is refused if it is not what was prepared, without its seller’s signature, or signed by others', async () => {
    const late = await payLate()
    const { reference, lamports, coSigner } = await prepare(late)
    const names = { reference, coSigner: coSigner! }
    const other = world.deps.coSigners.current
    for (const wrong of [
      await signPrepared(late, world.rival, BigInt(lamports), names),
      await signPrepared(late, world.buyer, BigInt(lamports) - 1n, names),
      await signPrepared(late, world.buyer, BigInt(lamports), {
        ...names,
        reference: world.deps.references.make('refund', late.seller.address),
      }),
      // The key of payments is not that of refunds.
      await signPrepared(late, world.buyer, BigInt(lamports), { ...names, coSigner: other }),
      forged(await signPrepared(late, world.buyer, BigInt(lamports), names)),
    ]) {
      await expect(submit(late, wrong)).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    }
    expect(await world.casesAbout(late.signature)).toMatchObject([{ status: 'open' }])
  })

  it('is refused once its blockhash is too old, and can be prepared again', async () => {
    const late = await payLate()
    const refund = await sign(late)
    await world.mine(200)
    await expect(submit(late, refund)).rejects.toEqual(refusal('PAYMENT_EXPIRED'))
    await submit(late, await sign(late))
    await world.untilCase(late.signature, { status: 'refunded' })
  })

  it('that its seller could not pay is refused', async () => {
    const seller = await world.createWallet({ sol: 0n })
    const late = await payLate(seller)
    await world.transact(seller, transfer(seller, world.rival.address, (await balanceOf(seller)) - 1_000_000n))
    await expect(submit(late, await sign(late))).rejects.toEqual(refusal('PAYMENT_REFUSED'))
    expect(await world.casesAbout(late.signature, seller)).toMatchObject([{ status: 'open' }])
  })

  it('is not signed on another chain than its payment was made on', async () => {
    const late = await payLate()
    const refund = await sign(late)
    const genesisHash = await world.chain.genesisHash()
    const move = (to: string) =>
      world.connection.pool.query('update purchases set genesis_hash = $2 where id = $1', [late.purchase.purchaseId, to])
    await move('earlier')
    await expect(submit(late, refund)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    await move(genesisHash)
  })

  it('that never lands makes the delivery possible again, once it can no longer land', async () => {
    const late = await payLate()
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await submit(late, await sign(late))
    await untilCaseIs(late, 'open')
    vi.restoreAllMocks()
    await world.cancel(world.rival, late.rivalHold)
    await world.untilStatus(late.purchase, 'settled')
  })

  it('that its seller signs twice is one refund: the copy that lands closes the case, and nothing is delivered', async () => {
    const seller = await world.createSeededWallet()
    const late = await payLate(seller)
    const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await submit(late, await sign(late))
    const [complete] = broadcast.mock.calls.map(([bytes]) => bytes)
    const copy = withOtherSignature(complete!, seller.seed)
    await world.sendByWallet(copy)
    await untilCaseIs(late, 'open')
    await world.cancel(world.rival, late.rivalHold)
    const behind = world.withChain({ recentSignatures: async () => [] })
    await expect(behind.confirm(world.buyer, late.purchase.listingId, late.signature)).rejects.toEqual(refusal('PAYMENT_CASE'))
    await untilCaseIs(late, 'refunded')
    expect(await world.casesAbout(late.signature, seller)).toMatchObject([{ refundSignature: copy.signature }])
    expect(await statusOf(late)).toBe('ended')
  })

  it('closes its case only once two endpoints of several call it final', async () => {
    const late = await payLate()
    const signature = await submit(late, await sign(late))
    await world.mine(2)
    await vi.waitFor(async () => expect((await world.chain.statuses([signature])).has(signature)).toBe(true))
    const hasty = world.withChain({
      statuses: async (signatures) => {
        const told = await world.chain.statuses(signatures)
        return new Map([...told].map(([signature, status]) => [signature, { ...status, commitment: 'finalized' as const }]))
      },
    })
    await world.makeCasesDue()
    await hasty.reconcileOnce()
    expect(await world.casesAbout(late.signature)).toMatchObject([{ status: 'refunding' }])
    await world.untilCase(late.signature, { status: 'refunded' })
  })

  it.each<[string, Chain['isWhole']]>([
    ['has been silent for long', () => false],
    ['could not tell for long whether it is', (...about) => about.length === 0],
  ])('closes its case on the word of one endpoint once another %s', async (_, isWhole) => {
    const late = await payLate()
    await submit(late, await sign(late))
    const alone = world.withChain({
      isWhole,
      finality: async (signatures) => {
        const told = await world.chain.finality(signatures)
        return new Map([...told].map(([signature, status]) => [signature, { ...status, commitment: 'confirmed' as const }]))
      },
    })
    await world.mine(100)
    await world.makeCasesDue()
    await alone.reconcileOnce()
    expect(await world.casesAbout(late.signature)).toMatchObject([{ status: 'refunding' }])
    endWaits()
    await alone.reconcileUntil(async () => expect(await world.casesAbout(late.signature)).toMatchObject([{ status: 'refunded' }]))
  })

  it('that failed on the chain reopens its case, although the other endpoint does not answer', async () => {
    const late = await payLate(await world.createWallet())
    const broadcast = vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await world.landInVain(late.seller, await submit(late, await sign(late)))
    broadcast.mockRestore()
    const alone = world.seenWith({ deps: world.chainAt('confirmed') })
    await world.mine(200)
    await world.makeCasesDue()
    await alone.reconcileOnce()
    expect(await world.casesAbout(late.signature, late.seller)).toMatchObject([{ status: 'open', refundable: true }])
  })

  it('that never lands reopens its case although the endpoint has dropped what is as old as the purchase', async () => {
    const late = await payLate()
    vi.spyOn(world.chain, 'broadcast').mockResolvedValue()
    await submit(late, await sign(late))
    const pruned = world.withChain({
      finalized: async (...asked) => ({
        ...(await world.chain.finalized(...asked)),
        history: async () => ({ kind: 'pruned', firstSlot: 10n ** 12n }),
      }),
    })
    await pruned.reconcileUntil(async () => {
      const { rows } = await world.connection.pool.query('select status, refund_expiry_height from cases where id = $1', [late.caseId])
      expect(rows).toEqual([{ status: 'open', refund_expiry_height: null }])
    })
  })

  it('is not signed once its seller’s wallet has paid back by itself, although its case has not heard of it', async () => {
    const late = await payLate()
    const refund = await sign(late)
    const { reference } = await prepare(late)
    await world.sendByWallet(await world.signRefund(late.seller, late))
    await vi.waitFor(async () => expect(await world.chain.recentSignatures(reference, 0n, 1)).toHaveLength(1))
    await world.connection.pool.query('update cases set refund_expiry_height = null where id = $1', [late.caseId])
    await expect(submit(late, refund)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    await world.untilCase(late.signature, { status: 'refunded' })
  })

  it('is not signed while one that its seller’s wallet may have sent can still land', async () => {
    const late = await payLate()
    const refund = await sign(late)
    await world.prepareRefund(late.seller, late)
    await expect(submit(late, refund)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    await expect(prepare(late)).rejects.toEqual(refusal('CASE_NOT_OPEN'))
    await world.reconcileUntil(async () => void (await submit(late, await sign(late))))
    await world.untilCase(late.signature, { status: 'refunded' })
  })

  it('is neither prepared nor signed where the market does not co-sign, but one that was reserved ends as ever', async () => {
    const late = await payLate()
    const refund = await sign(late)
    const off = world.seenWith({ deps: { ...world.deps, settings: { ...world.deps.settings, coSign: false } } })
    await expect(prepareRefund(off.deps, late.seller.address, late.caseId, { coSigned: true })).rejects.toEqual(refusal('CO_SIGN_OFF'))
    await expect(submit(late, refund, off)).rejects.toEqual(refusal('CO_SIGN_OFF'))
    await submit(late, refund)
    expect(await submit(late, refund, off)).toBe(refund.signature)
    await world.untilCase(late.signature, { status: 'refunded' })
  })
})

/** The same transaction with a signature that is not its payer's. */
function forged({ bytes, ...payment }: SignedPayment): SignedPayment {
  const changed = Uint8Array.from(bytes, (byte, index) => (index === 1 ? byte ^ 1 : byte))
  return { ...payment, bytes: changed, base64: base64.encode(changed) }
}
