import { describe, expect, it } from 'vitest'

import { type Instruction } from '../../../src/chain/chain.ts'
import { isAgreed, verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'
import { knownOf, landedWith, moves, names, paymentOf, purchaseOf, referenceOf } from './landed-transactions.ts'

const basket = purchaseOf('basket', 'Buyer', [
  ['Ann', 50n],
  ['Bob', 70n],
  ['Studio', 6n],
])
const [ann, bob, fee] = paymentOf(basket) as [Instruction, Instruction, Instruction]
const pays = { kind: 'pays', referenced: true }
const carried = [basket.reference]

const verify = (instructions: Instruction[], inner: Instruction[] = []) => verifyPayment(landedWith(instructions, inner), basket)

describe('a purchase of several transfers', () => {
  it.each<[string, Instruction[]]>([
    ['in the agreed order', [ann, bob, fee]],
    ['in any other order, with something harmless between them', [fee, names('Buyer'), bob, ann]],
    ['beside a transfer to somebody else', [ann, bob, fee, moves('Buyer', 'Friend', 9n, [])]],
    ['beside the same transfers of somebody else', [ann, bob, fee, moves('Friend', 'Ann', 50n, [])]],
  ])('is paid by each of them once, %s', (_, instructions) => {
    expect(verify(instructions)).toEqual(pays)
  })

  it.each<[string, Instruction[], [string, bigint, bigint][], string]>([
    [
      'a missing transfer',
      [ann, fee],
      [
        ['Ann', 50n, 50n],
        ['Studio', 6n, 6n],
      ],
      'a transfer is missing',
    ],
    [
      'the fee left out',
      [ann, bob],
      [
        ['Ann', 50n, 50n],
        ['Bob', 70n, 70n],
      ],
      'a transfer is missing',
    ],
    ['the fee alone', [fee], [['Studio', 6n, 6n]], 'a transfer is missing'],
    [
      'one transfer too many',
      [ann, bob, bob, fee],
      [
        ['Ann', 50n, 50n],
        ['Bob', 140n, 140n],
        ['Studio', 6n, 6n],
      ],
      'it holds one transfer too many',
    ],
    [
      'one too small',
      [ann, moves('Buyer', 'Bob', 69n, carried), fee],
      [
        ['Ann', 50n, 50n],
        ['Bob', 69n, 69n],
        ['Studio', 6n, 6n],
      ],
      'an amount differs from what was agreed',
    ],
    [
      'swapped recipients',
      [moves('Buyer', 'Ann', 70n, carried), moves('Buyer', 'Bob', 50n, carried), fee],
      [
        ['Ann', 70n, 70n],
        ['Bob', 50n, 50n],
        ['Studio', 6n, 6n],
      ],
      'an amount differs from what was agreed',
    ],
    [
      'the reference on some transfers only',
      [ann, moves('Buyer', 'Bob', 70n, []), fee],
      [
        ['Ann', 50n, 50n],
        ['Bob', 70n, 0n],
        ['Studio', 6n, 6n],
      ],
      'the reference is not on every transfer',
    ],
    [
      'an additional transfer without the reference',
      [ann, bob, fee, moves('Buyer', 'Bob', 1n, [])],
      [
        ['Ann', 50n, 50n],
        ['Bob', 71n, 70n],
        ['Studio', 6n, 6n],
      ],
      'it holds one transfer too many',
    ],
    [
      'the reference beside the transfers',
      [...[ann, bob, fee].map(({ transfer }) => moves('Buyer', transfer?.to ?? '', transfer?.lamports ?? 0n, [])), names(...carried)],
      [
        ['Ann', 50n, 0n],
        ['Bob', 70n, 0n],
        ['Studio', 6n, 0n],
      ],
      'the reference is not on every transfer',
    ],
    ['a stranger in place of a seller', [ann, moves('Buyer', 'Thief', 70n, carried)], [['Ann', 50n, 50n]], 'a transfer is missing'],
  ])('is not paid with %s', (_, instructions, expected, reason) => {
    const received = expected.map(([to, lamports, referencedLamports]) => ({ to, lamports, referencedLamports }))
    expect(verify(instructions)).toEqual({ kind: 'wrong', referenced: true, received, reason, complete: false, paidPurchase: undefined })
  })

  it.each<[string, Instruction[], Instruction[], bigint]>([
    ['repeats', [ann, bob, fee], [moves('Buyer', 'Bob', 70n, carried)], 140n],
    ['repeats without the reference', [ann, bob, fee], [moves('Buyer', 'Bob', 70n, [])], 140n],
    ['makes in place of its buyer', [ann, fee, names(...carried)], [moves('Buyer', 'Bob', 70n, carried)], 70n],
  ])('is not paid with a transfer that a program %s', (_, instructions, inner, lamports) => {
    const verdict = verify(instructions, inner)
    expect(verdict).toMatchObject({ kind: 'wrong', reason: 'a program made a transfer, not the buyer' })
    expect(verdict).toHaveProperty('received', expect.arrayContaining([expect.objectContaining({ to: 'Bob', lamports })]))
  })

  it('is never paid without its reference; if its buyer claims such a payment, it is shown what everybody received', () => {
    const bare = basket.transfers.map(({ to, lamports }) => moves('Buyer', to, lamports, []))
    expect(verify(bare)).toMatchObject({
      kind: 'wrong',
      referenced: false,
      complete: false,
      reason: 'the reference is not on every transfer',
    })
    const unreferencedLamports = basket.transfers.map((transfer) => ({ ...transfer, referencedLamports: 0n }))
    expect(verify(bare)).toHaveProperty('received', unreferencedLamports)
  })

  it('may pay one recipient twice, as a seller and as the studio, and is told as one sum what that recipient received', () => {
    const twice = purchaseOf('twice', 'Buyer', [
      ['Studio', 50n],
      ['Bob', 70n],
      ['Studio', 6n],
    ])
    expect(verifyPayment(landedWith(paymentOf(twice)), twice)).toEqual(pays)
    const [first, second, last] = paymentOf(twice) as [Instruction, Instruction, Instruction]
    for (const wrong of [
      [first, second],
      [first, second, first],
      [second, moves('Buyer', 'Studio', 56n, [twice.reference])],
    ]) {
      expect(verifyPayment(landedWith(wrong), twice)).toMatchObject({ kind: 'wrong' })
    }
    expect(verifyPayment(landedWith([first, last]), twice)).toMatchObject({ received: [{ to: 'Studio', lamports: 56n }] })
  })
})

describe('two purchases in one transaction', () => {
  const other = purchaseOf('other', 'Buyer', [
    ['Bob', 33n],
    ['Cid', 44n],
    ['Studio', 4n],
  ])
  const known = knownOf([basket, other])
  const both = (instructions: Instruction[], inner: Instruction[] = []) => {
    const transaction = landedWith(instructions, inner)
    return { first: verifyPayment(transaction, basket, known), second: verifyPayment(transaction, other, known) }
  }
  const secondInFull = other.transfers.map(({ to, lamports }) => ({ to, lamports, referencedLamports: lamports }))

  it('both complete, sharing a seller and the fee: the first named is paid, the other keeps what is its own', () => {
    const paid = { kind: 'wrong', complete: true, received: secondInFull, reason: 'its transaction paid for another purchase first' }
    for (const instructions of [
      [...paymentOf(basket), ...paymentOf(other)],
      [ann, ...paymentOf(other), bob, fee],
    ]) {
      const { first, second } = both(instructions)
      expect(first).toEqual(pays)
      expect(second).toEqual({ ...paid, referenced: true, paidPurchase: 'basket' })
      expect([first, second].map(isAgreed)).toEqual([true, true])
    }
    const { first, second } = both([...paymentOf(other), ...paymentOf(basket)])
    expect(second).toEqual(pays)
    expect(first).toMatchObject({ kind: 'wrong', complete: true, paidPurchase: 'other' })
  })

  it('the first incomplete: the other is paid, and the first keeps what is its own', () => {
    const { first, second } = both([ann, bob, ...paymentOf(other)])
    expect(second).toEqual(pays)
    expect(first).toMatchObject({
      kind: 'wrong',
      complete: false,
      paidPurchase: 'other',
      received: [
        { to: 'Ann', lamports: 50n },
        { to: 'Bob', lamports: 70n },
      ],
    })
  })

  it('a transfer for which two purchases are named counts for the first, so the other lacks it', () => {
    const shared = moves('Buyer', 'Bob', 70n, [basket.reference, other.reference])
    expect(both([ann, shared, fee]).first).toEqual(pays)
    expect(both([ann, shared, fee]).second).toEqual({ kind: 'unrelated', reason: 'it pays for another purchase' })
  })

  it('a transfer that names neither spoils both, and belongs to the first', () => {
    const { first, second } = both([...paymentOf(other), ...paymentOf(basket), moves('Buyer', 'Bob', 9n, [])])
    expect(first).toMatchObject({ kind: 'wrong', complete: false, received: [{ lamports: 50n }, { lamports: 70n }, { lamports: 6n }] })
    expect(second).toMatchObject({ kind: 'wrong', complete: false, received: [{ lamports: 42n }, { lamports: 44n }, { lamports: 4n }] })
  })

  it('a transfer that a program makes for one of them does not touch the other', () => {
    const { first, second } = both([...paymentOf(basket), names(other.reference)], [moves('Buyer', 'Bob', 33n, [other.reference])])
    expect(first).toEqual(pays)
    expect(second).toMatchObject({ kind: 'wrong', received: [{ to: 'Bob', lamports: 33n, referencedLamports: 33n }] })
  })

  it('of two buyers are told apart, whoever pays the same sellers', () => {
    const rival = purchaseOf('rival', 'Rival', [
      ['Ann', 50n],
      ['Bob', 70n],
    ])
    const transaction = landedWith([...paymentOf(rival), ...paymentOf(basket)])
    expect(verifyPayment(transaction, rival, knownOf([basket, rival]))).toEqual(pays)
    expect(verifyPayment(transaction, basket, knownOf([basket, rival]))).toMatchObject({ complete: true, paidPurchase: 'rival' })
    const forged = landedWith(paymentOf(rival).map((it) => ({ ...it, accounts: [...it.accounts, basket.reference] })))
    expect(verifyPayment(forged, basket, knownOf([basket, rival]))).toMatchObject({ kind: 'unrelated' })
  })

  it('a payment is not one for a purchase that it does not name, even of the same sellers and amounts', () => {
    const replayed = purchaseOf('replayed', 'Buyer', [
      ['Ann', 50n],
      ['Bob', 70n],
      ['Studio', 6n],
    ])
    const transaction = landedWith(paymentOf(basket))
    expect(verifyPayment(transaction, replayed, knownOf([basket]))).toEqual({ kind: 'unrelated', reason: 'it pays for another purchase' })
  })

  it('an unreferenced transfer to a seller of a purchase that is named belongs to that one, and pays for no other', () => {
    const single = purchaseOf('single', 'Buyer', [['Bob', 9n]])
    const mixed = landedWith([...paymentOf(basket), moves('Buyer', 'Bob', 9n, [])])
    expect(verifyPayment(mixed, single, knownOf([basket]))).toEqual({ kind: 'unrelated', reason: 'it pays for another purchase' })
    expect(verifyPayment(mixed, basket)).toMatchObject({ kind: 'wrong' })
  })

  it('an unreferenced transfer that pays for a second purchase of another seller is told as such', () => {
    const single = purchaseOf('single', 'Buyer', [['Dan', 9n]])
    const mixed = landedWith([moves('Buyer', 'Dan', 9n, []), ...paymentOf(basket)])
    expect(verifyPayment(mixed, basket)).toEqual(pays)
    expect(verifyPayment(mixed, single, knownOf([basket]))).toMatchObject({
      kind: 'wrong',
      referenced: false,
      complete: true,
      paidPurchase: 'basket',
      received: [{ to: 'Dan', lamports: 9n, referencedLamports: 0n }],
    })
  })

  it('a refund in the same transaction is no part of the purchase, and the purchase no part of the refund', () => {
    const refund = referenceOf('refund')
    const transaction = landedWith([moves('Buyer', 'Ann', 5n, [refund]), ...paymentOf(basket)])
    expect(verifyPayment(transaction, basket, knownOf([basket], [refund]))).toEqual(pays)
    const single = purchaseOf('single', 'Buyer', [['Ann', 5n]])
    expect(verifyPayment(transaction, single, knownOf([basket], [refund]))).toMatchObject({ kind: 'unrelated' })
    const ownRefund = landedWith([moves('Buyer', 'Dan', 5n, [refund])])
    const toDan = purchaseOf('toDan', 'Buyer', [['Dan', 5n]])
    expect(verifyPayment(ownRefund, toDan, knownOf([], [refund]))).toMatchObject({ kind: 'unrelated' })
  })
})
