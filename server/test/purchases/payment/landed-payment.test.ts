import { describe, expect, it } from 'vitest'
import { type Instruction, type LandedTransaction } from '../../../src/chain/chain.ts'
import { verifyPayment, ambiguousReferences } from '../../../src/purchases/payment/landed-payment.ts'
import { knownOf, landedWith, moves, names, paymentOf, purchaseOf, referenceOf } from './landed-transactions.ts'

const price = 5_000_000n
const seller = 'Seller'
const terms = purchaseOf('purchase', 'Buyer', [seller, price])

function transfer(changes: Partial<{ from: string; to: string; lamports: bigint; extra: string[] }> = {}): Instruction {
  const { from = terms.buyer, to = seller, lamports: amount = price, extra = [terms.reference] } = changes
  return moves(from, to, amount, extra)
}

function landed(changes: Partial<LandedTransaction> = {}): LandedTransaction {
  return { ...landedWith([transfer()]), signers: [terms.buyer], ...changes }
}

const unreferenced = transfer({ extra: [] })

const another = { ...terms, id: 'another', reference: 'Other reference' }

describe('a payment', () => {
  it.each<[string, LandedTransaction]>([
    ['carries the reference', landed()],
    ['has harmless instructions before and after it', landed({ instructions: [names(), transfer(), names(terms.buyer)] })],
    ['is signed by others too', landed({ signers: ['Sponsor', terms.buyer] })],
    ['carries the reference and landed before the slot of the hold', landed({ slot: 99n })],
    ['comes with a transfer to someone else', landed({ instructions: [transfer({ to: 'Tip', extra: [] }), transfer()] })],
  ])('pays if it %s', (_, transaction) => {
    expect(verifyPayment(transaction, terms)).toEqual({ kind: 'pays', referenced: true })
  })

  it.each<[string, LandedTransaction]>([
    ['landed after the hold', landed({ instructions: [unreferenced] })],
    ["landed in the hold's own slot", landed({ instructions: [unreferenced], slot: 100n })],
  ])('without a reference pays if it %s', (_, transaction) => {
    expect(verifyPayment(transaction, terms)).toEqual({ kind: 'pays', referenced: false })
  })

  it.each<[string, LandedTransaction]>([
    ['one lamport less', landed({ instructions: [transfer({ lamports: price - 1n })] })],
    ['one lamport more', landed({ instructions: [transfer({ lamports: price + 1n })] })],
    ['two transfers', landed({ instructions: [transfer(), transfer()] })],
    ['a second transfer without the reference', landed({ instructions: [transfer(), unreferenced] })],
    ['an additional inner transfer', landed({ innerInstructions: [unreferenced] })],
    ['only an inner transfer', landed({ instructions: [names(terms.reference)], innerInstructions: [unreferenced] })],
    ['the reference on another instruction', landed({ instructions: [unreferenced, names(terms.reference)] })],
  ])('is wrong with %s', (_, transaction) => {
    expect(verifyPayment(transaction, terms)).toMatchObject({ kind: 'wrong', referenced: true })
  })

  it.each<[string, LandedTransaction]>([
    ['failed on the chain', landed({ failed: true })],
    ['is not signed by the buyer', landed({ signers: ['Stranger'] })],
    ['comes from a third party', landed({ signers: [terms.buyer], instructions: [transfer({ from: 'Stranger' })] })],
    ['goes to another recipient', landed({ instructions: [transfer({ to: 'Stranger' })] })],
    ['goes the other way', landed({ instructions: [transfer({ from: seller, to: terms.buyer })] })],
    ['moves no SOL at all', landed({ instructions: [names(terms.reference)] })],
    ['carries the reference of another purchase', landed({ instructions: [transfer({ extra: ['Other reference'] })] })],
    ['carries no reference and is older than the hold', landed({ instructions: [unreferenced], slot: 99n })],
    [
      'carries no reference, is older than the hold and of another amount',
      landed({ instructions: [transfer({ extra: [], lamports: 1n })], slot: 99n }),
    ],
  ])('is unrelated to this purchase if it %s', (_, transaction) => {
    expect(verifyPayment(transaction, terms).kind).toBe('unrelated')
  })

  it('counts only for the first purchase whose reference its transfer carries', () => {
    const ours = landed({ instructions: [transfer({ extra: ['Unknown key', terms.reference, 'Other reference'] })] })
    const theirs = landed({ instructions: [transfer({ extra: ['Other reference', terms.reference] })] })
    expect(verifyPayment(ours, terms, new Map([['Other reference', another]]))).toEqual({ kind: 'pays', referenced: true })
    expect(verifyPayment(theirs, terms, new Map([['Other reference', another]])).kind).toBe('unrelated')
    expect(verifyPayment(theirs, terms, new Map([['Other reference', null]])).kind).toBe('unrelated')
  })

  it.each<[string, Instruction[], string[]]>([
    ['nothing of one transfer that carries nothing', [unreferenced], []],
    ['nothing of one transfer that carries one account', [names(terms.buyer), transfer()], []],
    ['several accounts on one transfer', [transfer({ extra: ['One', 'Two'] })], ['One', 'Two']],
    ['every account of several transfers', [transfer(), unreferenced], [terms.reference]],
    ['what is named beside a transfer', [unreferenced, names('One')], ['One']],
    ['nothing if no SOL moved', [names('One', 'Two')], []],
  ])('has to be looked up: %s', (_, instructions, accounts) => {
    expect(ambiguousReferences(landed({ instructions }))).toEqual(accounts)
  })

  it('that a program made may be of another purchase, so what it carries is looked up', () => {
    expect(ambiguousReferences(landed({ innerInstructions: [transfer({ extra: ['Other reference'] })] }))).toContain('Other reference')
  })

  it('does not count what belongs to another purchase, or to a refund, in the same transaction', () => {
    const theirs = transfer({ lamports: 7n, extra: ['Other reference'] })
    for (const known of [another, null]) {
      const references = new Map([['Other reference', known]])
      expect(verifyPayment(landed({ instructions: [theirs, transfer()] }), terms, references)).toEqual({ kind: 'pays', referenced: true })
      const short = landed({ instructions: [theirs, transfer({ lamports: 1n })] })
      expect(verifyPayment(short, terms, references)).toMatchObject({ kind: 'wrong', received: [{ to: seller, lamports: 1n }] })
    }
  })

  it('is wrong with a second transfer that carries an account that nobody knows', () => {
    const stranger = transfer({ lamports: 7n, extra: ['Unknown key'] })
    expect(verifyPayment(landed({ instructions: [transfer(), stranger] }), terms)).toMatchObject({
      kind: 'wrong',
      received: [{ to: seller, lamports: price + 7n, referencedLamports: price }],
    })
  })
})

const basket = purchaseOf('basket', 'Buyer', ['Ann', 50n], ['Bob', 70n], ['Studio', 6n])
const [ann, bob, fee] = paymentOf(basket) as [Instruction, Instruction, Instruction]
/** Its transfers without the reference. */
const bare = basket.transfers.map(({ to, lamports }) => moves('Buyer', to, lamports))
const pays = { kind: 'pays', referenced: true }
const carried = [basket.reference]

/** What is wrong with a payment. */
const missing = 'a transfer is missing'
const tooMany = 'it holds one transfer too many'
const otherAmount = 'an amount differs from what was agreed'
const notOnAll = 'the reference is not on every transfer'

const verify = (instructions: Instruction[], inner: Instruction[] = []) => verifyPayment(landedWith(instructions, inner), basket)

describe('a purchase of several transfers', () => {
  it.each<[string, Instruction[]]>([
    ['in the agreed order', [ann, bob, fee]],
    ['in any other order, with something harmless between them', [fee, names('Buyer'), bob, ann]],
    ['beside a transfer to somebody else', [ann, bob, fee, moves('Buyer', 'Friend', 9n)]],
    ['beside the same transfers of somebody else', [ann, bob, fee, moves('Friend', 'Ann', 50n)]],
  ])('is paid by each of them once, %s', (_, instructions) => {
    expect(verify(instructions)).toEqual(pays)
  })

  it.each<[string, Instruction[], Record<string, [lamports: bigint, referencedLamports: bigint]>, string]>([
    ['a missing transfer', [ann, fee], { Ann: [50n, 50n], Studio: [6n, 6n] }, missing],
    ['the fee left out', [ann, bob], { Ann: [50n, 50n], Bob: [70n, 70n] }, missing],
    ['the fee alone', [fee], { Studio: [6n, 6n] }, missing],
    ['one transfer too many', [ann, bob, bob, fee], { Ann: [50n, 50n], Bob: [140n, 140n], Studio: [6n, 6n] }, tooMany],
    ['one too small', [ann, moves('Buyer', 'Bob', 69n, carried), fee], { Ann: [50n, 50n], Bob: [69n, 69n], Studio: [6n, 6n] }, otherAmount],
    [
      'swapped recipients',
      [moves('Buyer', 'Ann', 70n, carried), moves('Buyer', 'Bob', 50n, carried), fee],
      { Ann: [70n, 70n], Bob: [50n, 50n], Studio: [6n, 6n] },
      otherAmount,
    ],
    [
      'the reference on some transfers only',
      [ann, moves('Buyer', 'Bob', 70n), fee],
      { Ann: [50n, 50n], Bob: [70n, 0n], Studio: [6n, 6n] },
      notOnAll,
    ],
    [
      'an additional transfer without the reference',
      [ann, bob, fee, moves('Buyer', 'Bob', 1n)],
      { Ann: [50n, 50n], Bob: [71n, 70n], Studio: [6n, 6n] },
      tooMany,
    ],
    ['the reference beside the transfers', [...bare, names(...carried)], { Ann: [50n, 0n], Bob: [70n, 0n], Studio: [6n, 0n] }, notOnAll],
    ['a stranger in place of a seller', [ann, moves('Buyer', 'Thief', 70n, carried)], { Ann: [50n, 50n] }, missing],
  ])('is not paid with %s', (_, instructions, expected, reason) => {
    const received = Object.entries(expected).map(([to, [lamports, referencedLamports]]) => ({ to, lamports, referencedLamports }))
    expect(verify(instructions)).toEqual({ kind: 'wrong', referenced: true, received, reason, complete: false, paidPurchase: undefined })
  })

  it.each<[string, Instruction[], Instruction[], bigint]>([
    ['repeats', [ann, bob, fee], [moves('Buyer', 'Bob', 70n, carried)], 140n],
    ['repeats without the reference', [ann, bob, fee], [moves('Buyer', 'Bob', 70n)], 140n],
    ['makes in place of its buyer', [ann, fee, names(...carried)], [moves('Buyer', 'Bob', 70n, carried)], 70n],
  ])('is not paid with a transfer that a program %s', (_, instructions, inner, lamports) => {
    const verdict = verify(instructions, inner)
    expect(verdict).toMatchObject({ kind: 'wrong', reason: 'a program made a transfer, not the buyer' })
    expect(verdict).toHaveProperty('received', expect.arrayContaining([expect.objectContaining({ to: 'Bob', lamports })]))
  })

  it('is never paid without its reference; if its buyer claims such a payment, it is shown what everybody received', () => {
    const received = basket.transfers.map((each) => ({ ...each, referencedLamports: 0n }))
    expect(verify(bare)).toMatchObject({ kind: 'wrong', referenced: false, received, complete: false, reason: notOnAll })
  })

  it('may pay one recipient twice, as a seller and as the studio, and is told as one sum what that recipient received', () => {
    const twice = purchaseOf('twice', 'Buyer', ['Studio', 50n], ['Bob', 70n], ['Studio', 6n])
    expect(verifyPayment(landedWith(paymentOf(twice)), twice)).toEqual(pays)
    const [first, second, last] = paymentOf(twice) as [Instruction, Instruction, Instruction]
    const atOnce = moves('Buyer', 'Studio', 56n, [twice.reference])
    const wrong = [
      [first, second],
      [first, second, first],
      [second, atOnce],
    ]
    for (const payment of wrong) expect(verifyPayment(landedWith(payment), twice)).toMatchObject({ kind: 'wrong' })
    expect(verifyPayment(landedWith([first, last]), twice)).toMatchObject({ received: [{ to: 'Studio', lamports: 56n }] })
  })
})

describe('two purchases in one transaction', () => {
  const other = purchaseOf('other', 'Buyer', ['Bob', 33n], ['Cid', 44n], ['Studio', 4n])
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
    }
    const { first, second } = both([...paymentOf(other), ...paymentOf(basket)])
    expect(second).toEqual(pays)
    expect(first).toMatchObject({ kind: 'wrong', complete: true, paidPurchase: 'other' })
  })

  it('the first incomplete: the other is paid, and the first keeps what is its own', () => {
    const { first, second } = both([ann, bob, ...paymentOf(other)])
    expect(second).toEqual(pays)
    expect(first).toMatchObject({ kind: 'wrong', complete: false, paidPurchase: 'other' })
    expect(first).toHaveProperty(
      'received',
      basket.transfers.slice(0, 2).map((each) => expect.objectContaining(each)),
    )
  })

  it('a transfer for which two purchases are named counts for the first, so the other lacks it', () => {
    const shared = moves('Buyer', 'Bob', 70n, [basket.reference, other.reference])
    expect(both([ann, shared, fee]).first).toEqual(pays)
    expect(both([ann, shared, fee]).second).toEqual({ kind: 'unrelated', reason: 'it pays for another purchase' })
  })

  it('a transfer that names neither spoils both, and belongs to the first', () => {
    const { first, second } = both([...paymentOf(other), ...paymentOf(basket), moves('Buyer', 'Bob', 9n)])
    expect(first).toMatchObject({ kind: 'wrong', complete: false, received: [{ lamports: 50n }, { lamports: 70n }, { lamports: 6n }] })
    expect(second).toMatchObject({ kind: 'wrong', complete: false, received: [{ lamports: 42n }, { lamports: 44n }, { lamports: 4n }] })
  })

  it('a transfer that a program makes for one of them does not touch the other', () => {
    const { first, second } = both([...paymentOf(basket), names(other.reference)], [moves('Buyer', 'Bob', 33n, [other.reference])])
    expect(first).toEqual(pays)
    expect(second).toMatchObject({ kind: 'wrong', received: [{ to: 'Bob', lamports: 33n, referencedLamports: 33n }] })
  })

  it('of two buyers are told apart, whoever pays the same sellers', () => {
    const rival = purchaseOf('rival', 'Rival', ['Ann', 50n], ['Bob', 70n])
    const transaction = landedWith([...paymentOf(rival), ...paymentOf(basket)])
    expect(verifyPayment(transaction, rival, knownOf([basket, rival]))).toEqual(pays)
    expect(verifyPayment(transaction, basket, knownOf([basket, rival]))).toMatchObject({ complete: true, paidPurchase: 'rival' })
    const forged = landedWith(paymentOf(rival).map((it) => ({ ...it, accounts: [...it.accounts, basket.reference] })))
    expect(verifyPayment(forged, basket, knownOf([basket, rival]))).toMatchObject({ kind: 'unrelated' })
  })

  it('a payment is not one for a purchase that it does not name, even of the same sellers and amounts', () => {
    const replayed = purchaseOf('replayed', 'Buyer', ['Ann', 50n], ['Bob', 70n], ['Studio', 6n])
    const transaction = landedWith(paymentOf(basket))
    expect(verifyPayment(transaction, replayed, knownOf([basket]))).toEqual({ kind: 'unrelated', reason: 'it pays for another purchase' })
  })

  it('an unreferenced transfer to a seller of a purchase that is named belongs to that one, and pays for no other', () => {
    const single = purchaseOf('single', 'Buyer', ['Bob', 9n])
    const mixed = landedWith([...paymentOf(basket), moves('Buyer', 'Bob', 9n)])
    expect(verifyPayment(mixed, single, knownOf([basket]))).toEqual({ kind: 'unrelated', reason: 'it pays for another purchase' })
    expect(verifyPayment(mixed, basket)).toMatchObject({ kind: 'wrong' })
  })

  it('an unreferenced transfer that pays for a second purchase of another seller is told as such', () => {
    const single = purchaseOf('single', 'Buyer', ['Dan', 9n])
    const mixed = landedWith([moves('Buyer', 'Dan', 9n), ...paymentOf(basket)])
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
    const single = purchaseOf('single', 'Buyer', ['Ann', 5n])
    expect(verifyPayment(transaction, single, knownOf([basket], [refund]))).toMatchObject({ kind: 'unrelated' })
    const ownRefund = landedWith([moves('Buyer', 'Dan', 5n, [refund])])
    const toDan = purchaseOf('toDan', 'Buyer', ['Dan', 5n])
    expect(verifyPayment(ownRefund, toDan, knownOf([], [refund]))).toMatchObject({ kind: 'unrelated' })
  })
})
