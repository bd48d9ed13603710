import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { describe, expect, it } from 'vitest'

import { type Instruction, type LandedTransaction } from '../../../src/chain/chain.ts'
import { type KnownPurchase, type PaymentTerms, verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'
import { ambiguousReferences } from '../../../src/purchases/payment/landed-transfers.ts'

const system = '11111111111111111111111111111111'
const price = lamports(5_000_000n)
const seller = 'Seller' as WalletAddress
const terms: PaymentTerms = {
  buyer: 'Buyer' as WalletAddress,
  transfers: [{ to: seller, lamports: price }],
  reference: 'Reference',
  heldAtSlot: 100n,
}

function transfer(changes: Partial<{ from: string; to: string; lamports: bigint; extra: string[] }> = {}): Instruction {
  const { from = terms.buyer, to = seller, lamports: amount = price, extra = [terms.reference] } = changes
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

const other: KnownPurchase = { ...terms, id: 'other', reference: 'Other reference' }

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
    ['one lamport less', landed({ instructions: [transfer({ lamports: price - 1n })] })],
    ['one lamport more', landed({ instructions: [transfer({ lamports: price + 1n })] })],
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
    ['goes the other way', landed({ instructions: [transfer({ from: seller, to: terms.buyer })] })],
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
    const ours = landed({ instructions: [transfer({ extra: ['Unknown key', terms.reference, 'Other reference'] })] })
    const theirs = landed({ instructions: [transfer({ extra: ['Other reference', terms.reference] })] })
    expect(verifyPayment(ours, terms, new Map([['Other reference', other]]))).toEqual({ kind: 'pays', referenced: true })
    expect(verifyPayment(theirs, terms, new Map([['Other reference', other]])).kind).toBe('unrelated')
    expect(verifyPayment(theirs, terms, new Map([['Other reference', null]])).kind).toBe('unrelated')
  })

  it.each<[string, Instruction[], string[]]>([
    ['nothing of one transfer that carries nothing', [unreferenced], []],
    ['nothing of one transfer that carries one account', [memo(terms.buyer), transfer()], []],
    ['several accounts on one transfer', [transfer({ extra: ['One', 'Two'] })], ['One', 'Two']],
    ['every account of several transfers', [transfer(), unreferenced], [terms.reference]],
    ['what is named beside a transfer', [unreferenced, memo('One')], ['One']],
    ['nothing if no SOL moved', [memo('One', 'Two')], []],
  ])('has to be looked up: %s', (_, instructions, accounts) => {
    expect(ambiguousReferences(landed({ instructions }))).toEqual(accounts)
  })

  it('that a program made may be of another purchase, so what it carries is looked up', () => {
    expect(ambiguousReferences(landed({ innerInstructions: [transfer({ extra: ['Other reference'] })] }))).toContain('Other reference')
  })

  it('does not count what belongs to another purchase, or to a refund, in the same transaction', () => {
    const theirs = transfer({ lamports: 7n, extra: ['Other reference'] })
    for (const known of [other, null]) {
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
