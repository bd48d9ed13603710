import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { balanceOf, decideOrders, type OrderSnapshot, type StudioOrder } from '../../src/inventory/studio-order.ts'

const wallets = ['A', 'B', 'nobody'] as WalletAddress[]
const orders = fc.array(
  fc.record<StudioOrder>({
    direction: fc.constantFrom('credit', 'debit'),
    walletAddress: fc.constantFrom(...wallets),
    tokenType: fc.constantFrom('APPLE_JUICE', 'GRAPE_SODA'),
    amount: fc.integer({ min: 1, max: 20 }),
    idempotencyKey: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  }),
  { maxLength: 12 },
)

function snapshot(parts: Partial<OrderSnapshot> = {}): OrderSnapshot {
  return { balances: new Map(), posted: new Map(), allowance: undefined, signers: new Set(wallets.slice(0, 2)), ...parts }
}

const order: StudioOrder = {
  direction: 'credit',
  walletAddress: 'A' as WalletAddress,
  tokenType: 'APPLE_JUICE',
  amount: 5,
  idempotencyKey: 'a',
}
const decide = (given: StudioOrder[], parts: Partial<OrderSnapshot> = {}) =>
  decideOrders(given, snapshot(parts)).map((decision) => (decision.kind === 'refused' ? decision.failure.code : decision.kind))

describe('the orders of a call', () => {
  it('never take a balance below zero, credit more than the allowance, or use a key twice', () => {
    fc.assert(
      fc.property(orders, fc.nat(40), fc.nat(10), (given, allowance, start) => {
        const balances = new Map(wallets.map((walletAddress) => [balanceOf({ walletAddress, tokenType: 'APPLE_JUICE' }), BigInt(start)]))
        const decisions = decideOrders(given, snapshot({ balances, allowance: BigInt(allowance) }))
        const posted = given.filter((_, index) => decisions[index]?.kind === 'post')
        let credited = 0
        for (const { direction, amount, ...account } of posted) {
          const now = (balances.get(balanceOf(account)) ?? 0n) + (direction === 'credit' ? BigInt(amount) : -BigInt(amount))
          expect(now).toBeGreaterThanOrEqual(0n)
          balances.set(balanceOf(account), now)
          if (direction === 'credit') credited += amount
        }
        expect(credited).toBeLessThanOrEqual(allowance)
        expect(new Set(posted.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(posted.length)
        expect(posted.filter(({ direction, walletAddress }) => direction === 'credit' && walletAddress === 'nobody')).toEqual([])
      }),
    )
  })

  it('are each refused only for a reason of their own', () => {
    fc.assert(
      fc.property(orders, fc.nat(40), (given, allowance) => {
        const decisions = decideOrders(given, snapshot({ allowance: BigInt(allowance) }))
        // Without those that were refused, the same is decided about the others.
        const kept = given.filter((_, index) => decisions[index]?.kind !== 'refused')
        const again = decideOrders(kept, snapshot({ allowance: BigInt(allowance) }))
        expect(again.map(({ kind }) => kind)).toEqual(decisions.map(({ kind }) => kind).filter((kind) => kind !== 'refused'))
      }),
    )
  })

  it('see what those before them do', () => {
    const debit = { ...order, direction: 'debit' as const, idempotencyKey: 'b' }
    expect(decide([order, debit])).toEqual(['post', 'post'])
    expect(decide([debit, order])).toEqual(['INSUFFICIENT_TOKENS', 'post'])
  })

  it('that repeat one before them move nothing, and are refused if they differ from it', () => {
    expect(decide([order, order, { ...order, amount: 6 }, { ...order, direction: 'debit' }])).toEqual([
      'post',
      'repeated',
      'IDEMPOTENCY_KEY_REUSED',
      'IDEMPOTENCY_KEY_REUSED',
    ])
  })

  it('may use the key of one that was refused', () => {
    expect(decide([{ ...order, amount: 7 }, order], { allowance: 6n })).toEqual(['DAILY_LIMIT', 'post'])
  })

  it('say how much is left of the day', () => {
    const [decision] = decideOrders([order], snapshot({ allowance: 4n }))
    expect(decision).toMatchObject({
      kind: 'refused',
      failure: new Failure('DAILY_LIMIT', { detail: 'it can credit 4 more today.' }),
    })
  })
})
