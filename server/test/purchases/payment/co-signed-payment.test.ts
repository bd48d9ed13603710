import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { type AccountInstruction, type SignedTransaction } from '../../../src/chain/chain.ts'
import { decodeSignedTransaction } from '../../../src/chain/transactions/signed-transaction.ts'
import { findCoSignedFlaw } from '../../../src/purchases/payment/signed-payment.ts'
import {
  type HandMadeKey,
  type HandMadeMessage,
  messageBytes,
  newKey,
  signedBytes,
  toBase64,
  transferData,
} from '../../chain/transactions/hand-made.ts'
import { memoProgram, someBlockhash } from '../../chain/transactions/transactions.ts'

const coSigners = ['Present co-signer', 'Former co-signer']
const system = '11111111111111111111111111111111'
const computeBudget = 'ComputeBudget111111111111111111111111111111'
const lighthouse = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'
const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const agreed = {
  from: 'Buyer',
  transfers: [
    { to: 'Seller', lamports: 50n },
    { to: 'Studio', lamports: 6n },
  ],
  reference: 'Reference',
}

const buyer = { address: 'Buyer', signer: true, writable: true }
const reference = { address: 'Reference', signer: false, writable: false }
const coSigner = { address: 'Present co-signer', signer: true, writable: false }
const stranger = { address: 'Stranger', signer: false, writable: false }

type Accounts = AccountInstruction['accounts']
function transfer(to: string, lamports: bigint, carried: Accounts = [reference, coSigner], from = 'Buyer'): AccountInstruction {
  return {
    program: system,
    accounts: [buyer, { address: to, signer: false, writable: true }, ...carried],
    transfer: { from, to, lamports },
  }
}
const call = (program: string, ...accounts: Accounts): AccountInstruction => ({ program, accounts, transfer: undefined })

const toSeller = transfer('Seller', 50n)
const fee = transfer('Studio', 6n)

const waiting: SignedTransaction = {
  signature: 'signature' as Signature,
  signers: ['Buyer', 'Present co-signer'],
  signatureStates: ['valid', 'empty'],
  signaturesValid: false,
  version: 0,
  usesLookupTables: false,
  blockhash: 'Blockhash',
  instructions: [toSeller, fee],
}
const flawOf = (changes: Partial<SignedTransaction> = {}) => findCoSignedFlaw({ ...waiting, ...changes }, agreed, coSigners, 'empty')

const notBoth = 'the paying wallet and the co-signer of this market must sign it, and nobody else.'
const notCarried = "a transfer does not carry this purchase's reference and the co-signer, and nothing else."
const besides = 'it does something besides this payment.'
const namedElsewhere = 'it names the reference or the co-signer outside its transfers.'

describe('a payment that only the market can complete', () => {
  it.each<[string, Partial<SignedTransaction>]>([
    ['in version 0', {}],
    ['in a legacy transaction', { version: 'legacy' }],
    ['in any order', { instructions: [fee, toSeller] }],
    ['with reference and co-signer in either order', { instructions: [transfer('Seller', 50n, [coSigner, reference]), fee] }],
    [
      'with what a wallet adds',
      { instructions: [call(computeBudget), call(lighthouse, buyer, stranger), toSeller, fee, call(memoProgram, buyer)] },
    ],
  ])('is one %s', (_, changes) => {
    expect(flawOf(changes)).toBeUndefined()
  })

  it('may name a former co-signer, but no two of them', () => {
    const former = { ...coSigner, address: 'Former co-signer' }
    const signers = ['Buyer', 'Former co-signer']
    const instructions = [transfer('Seller', 50n, [reference, former]), transfer('Studio', 6n, [reference, former])]
    expect(flawOf({ signers, instructions })).toBeUndefined()
    expect(flawOf({ instructions })).toBe(notCarried)
    expect(flawOf({ signers, instructions: [transfer('Seller', 50n, [reference, former]), fee] })).toBe(notCarried)
  })

  it.each<[string, Partial<SignedTransaction>, string]>([
    ['only the buyer signs', { signers: ['Buyer'] }, notBoth],
    ['the co-signer would pay its fee', { signers: ['Present co-signer', 'Buyer'] }, notBoth],
    ['somebody else pays its fee', { signers: ['Other', 'Present co-signer'] }, notBoth],
    ['a third one signs', { signers: ['Buyer', 'Present co-signer', 'Other'] }, notBoth],
    ['another market would sign it', { signers: ['Buyer', 'Other'] }, notBoth],
    ['the buyer has not signed', { signatureStates: ['empty', 'empty'] }, 'its signature is not valid.'],
    ["the buyer's signature is wrong", { signatureStates: ['invalid', 'empty'] }, 'its signature is not valid.'],
    ['its second signature is forged', { signatureStates: ['valid', 'invalid'] }, "the co-signer's signature is not empty."],
    ['it is complete already', { signatureStates: ['valid', 'valid'] }, "the co-signer's signature is not empty."],
    ['it is of version 1', { version: 1 }, 'its version is not supported.'],
    ['it has accounts in lookup tables', { usesLookupTables: true }, 'it uses lookup tables.'],
    ['it advances a nonce, so that it never expires', { instructions: [call(system, stranger, buyer), toSeller, fee] }, besides],
    ['it calls another program', { instructions: [toSeller, fee, call(token)] }, besides],
    ['a transfer is missing', { instructions: [toSeller] }, 'it lacks the transfer of 6 lamports to Studio.'],
    ['it pays once more', { instructions: [toSeller, toSeller, fee] }, 'it holds one transfer too many to Seller.'],
    ['it pays a stranger', { instructions: [toSeller, fee, transfer('Thief', 1n)] }, 'it pays another wallet, Thief.'],
    ['it pays too little', { instructions: [transfer('Seller', 49n), fee] }, 'its amount for Seller differs from what was agreed.'],
    [
      'it pays from another wallet',
      { instructions: [transfer('Seller', 50n, [reference, coSigner], 'Other'), fee] },
      'it pays from another wallet.',
    ],
    ['a transfer lacks the co-signer', { instructions: [toSeller, transfer('Studio', 6n, [reference])] }, notCarried],
    ['a transfer lacks the reference', { instructions: [toSeller, transfer('Studio', 6n, [coSigner])] }, notCarried],
    ['a transfer carries the co-signer twice', { instructions: [toSeller, transfer('Studio', 6n, [coSigner, coSigner])] }, notCarried],
    [
      'a transfer has another reference',
      { instructions: [toSeller, transfer('Studio', 6n, [{ ...reference, address: 'Other' }, coSigner])] },
      notCarried,
    ],
    ['a transfer names somebody else', { instructions: [toSeller, transfer('Studio', 6n, [reference, coSigner, stranger])] }, notCarried],
    ['a transfer has an unknown account', { instructions: [toSeller, transfer('Studio', 6n, [reference, undefined])] }, notCarried],
    [
      'the co-signer is writable',
      { instructions: [toSeller, transfer('Studio', 6n, [reference, { ...coSigner, writable: true }])] },
      notCarried,
    ],
    [
      'the reference is writable',
      { instructions: [toSeller, transfer('Studio', 6n, [{ ...reference, writable: true }, coSigner])] },
      notCarried,
    ],
    ['the reference signs', { instructions: [toSeller, transfer('Studio', 6n, [{ ...reference, signer: true }, coSigner])] }, notCarried],
    ['a guard names the co-signer', { instructions: [toSeller, fee, call(lighthouse, buyer, coSigner)] }, namedElsewhere],
    ['a memo names the reference', { instructions: [toSeller, fee, call(memoProgram, reference)] }, namedElsewhere],
  ])('is none if %s', (_, changes, flaw) => {
    expect(flawOf(changes)).toBe(flaw)
  })

  it('is checked in the same way once the market has signed it', () => {
    const check = (changes: Partial<SignedTransaction>) => findCoSignedFlaw({ ...waiting, ...changes }, agreed, coSigners, 'valid')
    expect(check({ signatureStates: ['valid', 'valid'] })).toBeUndefined()
    expect(check({})).toBe("the co-signer's signature is not valid.")
    expect(check({ signatureStates: ['valid', 'invalid'] })).toBe("the co-signer's signature is not valid.")
    expect(check({ signatureStates: ['valid', 'valid'], instructions: [toSeller] })).toContain('lacks the transfer')
  })
})

describe('the bytes of a payment that only the market can complete', () => {
  const [payer, market, seller, named] = Array.from({ length: 4 }, newKey) as [HandMadeKey, HandMadeKey, HandMadeKey, HandMadeKey]
  const expected = { from: payer.address, transfers: [{ to: seller.address, lamports: 5n }], reference: named.address }
  const plain: HandMadeMessage = {
    version: 0,
    header: [2, 1, 2],
    accounts: [payer.address, market.address, seller.address, named.address, system],
    blockhash: someBlockhash,
    instructions: [{ program: 4, accounts: [0, 2, 3, 1], data: transferData(5n) }],
  }
  /** Of bytes that this key has signed for the buyer, and this one for the market; without it, that place is empty. */
  const check = (changes: Partial<HandMadeMessage>, first = payer, second?: HandMadeKey) => {
    const bytes = signedBytes(messageBytes({ ...plain, ...changes }), [first, second ?? market])
    if (!second) bytes.fill(0, 65, 129)
    const transaction = decodeSignedTransaction(toBase64(bytes))
    return transaction && findCoSignedFlaw(transaction, expected, [market.address], 'empty')
  }

  it.each(['legacy', 0] as const)('are read in version %s', (version) => {
    expect(check({ version })).toBeUndefined()
    expect(check({ version }, payer, market)).toBe("the co-signer's signature is not empty.")
    expect(check({ version }, market)).toBe('its signature is not valid.')
    expect(check({ version, header: [2, 0, 2] })).toBe(notCarried)
    expect(check({ version, header: [2, 1, 1] })).toBe(notCarried)
  })

  it('are refused with a lookup table', () => {
    expect(check({ lookups: [{ table: newKey().address, writable: [], readonly: [1] }] })).toBe('it uses lookup tables.')
  })
})
