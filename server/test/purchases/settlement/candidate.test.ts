import { lamports } from '@juicebar/contract/money'
import { describe, expect, it } from 'vitest'

import { type LandedTransaction } from '../../../src/chain/chain.ts'
import { ageOf, verdictOf } from '../../../src/purchases/settlement/candidate.ts'
import { knownOf, landedWith, moves, names, paymentOf, purchaseOf } from '../payment/landed-transactions.ts'

const purchase = purchaseOf('one', 'buyer', ['seller', 5n])
const confirmed = { slot: 120n, commitment: 'confirmed', failed: false } as const
const computeBudget = { program: 'ComputeBudget111111111111111111111111111111', accounts: [], transfer: undefined }
const guard = { program: 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95', accounts: ['buyer'], transfer: undefined }
const pays = moves('buyer', 'seller', 5n)

interface Reading {
  claimed?: boolean
  needsReference?: boolean
  hasEnded?: boolean
  age?: 'older' | 'mayBeNewer'
}

function verdict(transaction: LandedTransaction, { claimed = false, needsReference = false, hasEnded = false, age }: Reading = {}) {
  const terms = { ...purchase, needsReference, hasEnded }
  return verdictOf(terms, { status: confirmed, transaction, knownReferences: new Map(), age, submittedByBuyer: claimed })
}

describe('a payment without the reference', () => {
  it('counts if a plain client made it, with what wallets add', () => {
    expect(verdict(landedWith([computeBudget, pays, guard]))).toMatchObject({ kind: 'pays', referenced: false })
  })

  it.each([
    ['has a memo, which is for somebody else', landedWith([pays, names()])],
    ['makes another transfer', landedWith([pays, moves('buyer', 'other', 1n)])],
    ['is signed by another wallet as well', { ...landedWith([pays]), signers: ['buyer', 'other'] }],
    ['calls another program', landedWith([pays, { ...computeBudget, program: 'Swap' }])],
    ['makes another transfer through a program', landedWith([pays], [moves('buyer', 'other', 1n)])],
  ])('counts for nothing if it %s, unless its buyer says that it is the payment: then it is a case', (_, transaction) => {
    expect(verdict(transaction)).toMatchObject({ kind: 'unrelated', permanent: true })
    const received = [{ to: 'seller', lamports: 5n, referencedLamports: 0n }]
    expect(verdict(transaction, { claimed: true })).toMatchObject({ kind: 'wrong', referenced: false, received })
  })

  it('counts for nothing where the reference is needed, and is a case if its buyer says that it is the payment', () => {
    expect(verdict(landedWith([pays]), { needsReference: true })).toMatchObject({ kind: 'unrelated' })
    expect(verdict(landedWith([pays]), { needsReference: true, claimed: true })).toMatchObject({ kind: 'wrong' })
  })

  it('counts for nothing if it looks older than the purchase, and is a case if its buyer says that it is the payment', () => {
    const older = { ...landedWith([pays]), slot: 99n }
    expect(verdict(older)).toMatchObject({ kind: 'unrelated', permanent: false, looksOlder: true })
    expect(verdict(older, { age: 'older' })).toMatchObject({ kind: 'unrelated', permanent: true, looksOlder: true })
    const received = [{ to: 'seller', lamports: 5n, referencedLamports: 0n }]
    expect(verdict(older, { claimed: true })).toMatchObject({ kind: 'wrong', referenced: false, received, looksOlder: true })
    const another = { ...landedWith([moves('buyer', 'seller', 4n)]), slot: 99n }
    expect(verdict(another, { claimed: true })).toMatchObject({ kind: 'unrelated', permanent: false })
  })

  it('is not yet decided while only some endpoints call it older than the purchase', () => {
    const age = 'mayBeNewer'
    const older = { ...landedWith([pays]), slot: 99n }
    const pending = { kind: 'pending', looksOlder: true }
    expect(verdict(older, { age })).toEqual(pending)
    expect(verdict(older, { age, claimed: true })).toEqual(pending)
    const another = { ...landedWith([moves('buyer', 'seller', 4n)]), slot: 99n }
    expect(verdict(another, { age, claimed: true })).toEqual(pending)
    // Its age does not matter for these.
    expect(verdict(another, { age })).toMatchObject({ kind: 'unrelated', permanent: true })
    expect(verdict(older, { age, hasEnded: true })).toMatchObject({ kind: 'unrelated', permanent: true })
    expect(verdict(older, { age, needsReference: true })).toMatchObject({ kind: 'unrelated', permanent: true })
  })

  it('is a private transfer once the purchase has ended, unless its buyer says that it is the payment', () => {
    expect(verdict(landedWith([pays]), { hasEnded: true })).toMatchObject({ kind: 'unrelated' })
    expect(verdict(landedWith([pays]), { hasEnded: true, claimed: true })).toMatchObject({ kind: 'pays' })
  })
})

it('a claimed payment without the reference stays with the purchase that its transaction pays for', () => {
  const paid = purchaseOf('two', 'buyer', ['other', 7n])
  const transaction = landedWith([...paymentOf(paid), moves('buyer', 'seller', 4n)])
  const terms = { ...purchase, needsReference: false, hasEnded: false }
  const reading = { status: confirmed, transaction, knownReferences: knownOf([paid]), submittedByBuyer: true }
  expect(verdictOf(terms, reading)).toMatchObject({ kind: 'wrong', referenced: false, paidPurchase: 'two' })
})

it('a payment with the reference counts whatever else is in its transaction', () => {
  const transaction = {
    ...landedWith([moves('buyer', 'seller', lamports(5n), [purchase.reference]), names()]),
    signers: ['buyer', 'market'],
  }
  expect(verdict(transaction, { needsReference: true, hasEnded: true })).toMatchObject({ kind: 'pays', referenced: true })
})

describe('the age of a transaction, for a purchase since slot 100', () => {
  it.each([
    ['older', 'the only endpoint', [99n], 0],
    ['older', 'all endpoints', [99n, 98n], 0],
    ['older', 'two, though another says otherwise or is silent', [99n, 98n, 120n], 1],
    ['newer', 'one of two', [99n, 100n], 0],
    ['newer', 'one, and the other is silent', [100n], 1],
    ['mayBeNewer', 'one, and the other is silent', [99n], 1],
    ['mayBeNewer', 'nobody', [], 2],
  ] as const)('is "%s" if that is what is told by %s', (age, _, slots, silent) => {
    expect(ageOf({ slots, silent }, 100n)).toBe(age)
  })
})
