import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { type Instruction } from '../../../src/chain/chain.ts'
import { createReferences } from '../../../src/purchases/reference.ts'
import { findLost, type Known, namedAccounts } from '../../../src/studio/recovery/lost-payment.ts'
import { landedWith, moves, names } from '../../purchases/payment/landed-transactions.ts'

const own = createReferences(['r'.repeat(32)])
const foreign = createReferences(['f'.repeat(32)])
const address = (): string => foreign.make('purchase')
const ann = address()
const bob = address()
const studio = address()
const buyer = address()
const rival = address()
const lost = own.make('purchase')
const lostToo = own.make('purchase')
const kept = own.make('purchase')
const oldFashioned = address()
const lostRefund = own.make('refund')
const others = foreign.make('purchase')

const known: Known = {
  references: new Set([kept, oldFashioned]),
  kindOf: own.kindOf,
  feeWallets: new Set([studio]),
  sellers: new Set([ann]),
}
const find = (instructions: Instruction[], inner: Instruction[] = [], changes: Partial<Known> = {}) =>
  findLost(landedWith(instructions, inner), { ...known, ...changes })

describe('what a transaction moved for purchases that the database has lost', () => {
  it('is found for each seller, with the fee in the first', () => {
    const payment = [moves(buyer, ann, 5n, [lost]), moves(buyer, bob, 7n, [lost]), moves(buyer, studio, 1n, [lost])]
    expect(find(payment)).toEqual({
      lost: [
        { buyer, seller: ann, lamports: 5n, feeLamports: 1n },
        { buyer, seller: bob, lamports: 7n, feeLamports: 0n },
      ],
      refunds: [],
      isOurs: true,
    })
  })

  it('has no seller if only the fee was paid, unless the fee wallet sells by itself', () => {
    const payment = [moves(buyer, studio, 4n, [lost])]
    expect(find(payment).lost).toEqual([{ buyer, seller: null, lamports: 0n, feeLamports: 4n }])
    expect(find(payment, [], { sellers: new Set([studio]) }).lost).toEqual([{ buyer, seller: studio, lamports: 4n, feeLamports: 0n }])
  })

  it('counts what a program moved, and nothing that names no reference or one that somebody else made', () => {
    expect(find([names(lost), moves(buyer, ann, 1n, []), moves(buyer, ann, 2n, [others])], [moves(buyer, ann, 4n, [lost])]).lost).toEqual([
      { buyer, seller: ann, lamports: 4n, feeLamports: 0n },
    ])
  })

  it('is nothing of a transaction that failed', () => {
    const failed = { ...landedWith([moves(buyer, ann, 5n, [lost])]), failed: true }
    expect(findLost(failed, known)).toEqual({ lost: [], refunds: [], isOurs: false })
  })

  it('is nothing that the database knows, with a code or from before there were any', () => {
    const payment = [moves(buyer, ann, 5n, [kept]), moves(buyer, ann, 5n, [oldFashioned])]
    expect(find(payment)).toEqual({ lost: [], refunds: [], isOurs: true })
  })

  it('tells of refunds, which are no payments', () => {
    const refund = { from: ann, to: buyer, lamports: 5n }
    expect(find([moves(ann, buyer, 5n, [lostRefund])])).toEqual({ lost: [], refunds: [refund], isOurs: true })
  })
})

const carried = fc.shuffledSubarray([lost, lostToo, kept, oldFashioned, lostRefund, others], { maxLength: 3 })
const anyTransfer = fc
  .tuple(fc.constantFrom(buyer, rival, ann), fc.constantFrom(ann, bob, studio, buyer), fc.bigInt({ min: 0n, max: 9n }), carried)
  .map(([from, to, lamports, extra]) => moves(from, to, lamports, extra))
const isLost = (reference: string | undefined) => reference === lost || reference === lostToo
const ownerOf = ({ accounts }: Instruction) => accounts.slice(2).find((account) => account !== others)

describe('each lamport', () => {
  it('that belongs to a lost purchase is in exactly one case of its buyer, and no other is in any', () => {
    fc.assert(
      fc.property(fc.array(anyTransfer, { maxLength: 6 }), fc.array(anyTransfer, { maxLength: 3 }), (instructions, inner) => {
        const { lost: found } = find(instructions, inner)
        for (const from of [buyer, rival, ann]) {
          const owed = [...instructions, ...inner].filter(
            (each) => each.transfer?.from === from && each.transfer.to !== from && isLost(ownerOf(each)),
          )
          const told = found.filter((each) => each.buyer === from)
          const sum = owed.reduce((total, { transfer }) => total + (transfer?.lamports ?? 0n), 0n)
          expect(told.reduce((total, { lamports, feeLamports }) => total + lamports + feeLamports, 0n)).toBe(sum)
          expect(new Set(told.map(({ seller }) => seller)).size).toBe(told.length)
        }
      }),
    )
  })

  it('is looked up by all accounts that could be its reference', () => {
    fc.assert(
      fc.property(fc.array(anyTransfer, { maxLength: 6 }), (instructions) => {
        const accounts = new Set(instructions.flatMap((each) => each.accounts.slice(2)))
        expect(new Set(namedAccounts(landedWith(instructions)))).toEqual(accounts)
      }),
    )
  })
})
