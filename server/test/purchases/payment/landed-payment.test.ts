import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { describe, expect, it } from 'vitest'

import { type Instruction, type LandedTransaction } from '../../../src/chain/chain.ts'
import { ambiguousReferences, type PaymentTerms, verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'

const system = '11111111111111111111111111111111'
const terms: PaymentTerms = {
  buyer: 'Buyer' as WalletAddress,
  seller: 'Seller' as WalletAddress,
  lamports: lamports(5_000_000n),
  reference: 'Reference',
  heldAtSlot: 100n,
}

function transfer(changes: Partial<{ from: string; to: string; lamports: bigint; extra: string[] }> = {}): Instruction {
  const { from = terms.buyer, to = terms.seller, lamports: amount = terms.lamports, extra = [terms.reference] } = changes
  return { program: system, accounts: [from, to, ...extra], transfer: { from, to, lamports: amount } }
}

const memo = (...accounts: string[]): Instruction => ({ program: 'Memo', accounts, transfer: undefined })

function landed(changes: Partial<LandedTransaction> = {}): LandedTransaction {
  return {
    signature: 'signature' as Signature,
    slot: 120n,
    failed: false,
    bytes: new Uint8Array(),
    signers: [terms.buyer],
    instructions: [transfer()],
    innerInstructions: [],
    ...changes,
  }
}

const unreferenced = transfer({ extra: [] })

describe('a payment', () => {
  it.each<[string, LandedTransaction]>([
    ['carries the reference', landed()],
    ['has harmless instructions before and after it', landed({ instructions: [memo(), transfer(), memo(terms.buyer)] })],
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
    ['one lamport less', landed({ instructions: [transfer({ lamports: terms.lamports - 1n })] })],
    ['one lamport more', landed({ instructions: [transfer({ lamports: terms.lamports + 1n })] })],
    ['two transfers', landed({ instructions: [transfer(), transfer()] })],
    ['a second transfer without the reference', landed({ instructions: [transfer(), unreferenced] })],
    ['an additional inner transfer', landed({ innerInstructions: [unreferenced] })],
    ['only an inner transfer', landed({ instructions: [memo(terms.reference)], innerInstructions: [unreferenced] })],
    ['the reference on another instruction', landed({ instructions: [unreferenced, memo(terms.reference)] })],
  ])('is wrong with %s', (_, transaction) => {
    expect(verifyPayment(transaction, terms)).toMatchObject({ kind: 'wrong', referenced: true })
  })

  it.each<[string, LandedTransaction]>([
    ['failed on the chain', landed({ failed: true })],
    ['is not signed by the buyer', landed({ signers: ['Stranger'] })],
    ['comes from a third party', landed({ signers: [terms.buyer], instructions: [transfer({ from: 'Stranger' })] })],
    ['goes to another recipient', landed({ instructions: [transfer({ to: 'Stranger' })] })],
    ['goes the other way', landed({ instructions: [transfer({ from: terms.seller, to: terms.buyer })] })],
    ['moves no SOL at all', landed({ instructions: [memo(terms.reference)] })],
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
    const references = new Set([terms.reference, 'Other reference'])
    const ours = landed({ instructions: [transfer({ extra: ['Unknown key', terms.reference, 'Other reference'] })] })
    const theirs = landed({ instructions: [transfer({ extra: ['Other reference', terms.reference] })] })
    expect(verifyPayment(ours, terms, references)).toEqual({ kind: 'pays', referenced: true })
    expect(verifyPayment(theirs, terms, references).kind).toBe('unrelated')
    expect(ambiguousReferences(theirs)).toEqual(['Other reference', terms.reference])
    expect(ambiguousReferences(landed({ instructions: [transfer(), unreferenced] }))).toEqual([])
  })

  it('counts what moved for this purchase, not for another in the same transaction', () => {
    const transaction = landed({ instructions: [transfer(), transfer({ lamports: 7n, extra: ['Other reference'] })] })
    expect(verifyPayment(transaction, terms)).toMatchObject({ kind: 'wrong', lamports: terms.lamports })
  })
})
