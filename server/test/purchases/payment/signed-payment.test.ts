import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { type AccountInstruction, type SignedTransaction } from '../../../src/chain/chain.ts'
import { type ExpectedPayment, findPaymentFlaw } from '../../../src/purchases/payment/signed-payment.ts'

const expects = (...transfers: [to: string, lamports: bigint][]): ExpectedPayment => {
  return { from: 'Buyer', transfers: transfers.map(([to, lamports]) => ({ to, lamports })), reference: 'Reference' }
}
const single = expects(['Seller', 50n])
const basket = expects(['Seller', 50n], ['Second', 70n], ['Studio', 6n])
const system = '11111111111111111111111111111111'
const computeBudget = 'ComputeBudget111111111111111111111111111111'
const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const noReference = "it does not carry this purchase's reference."

const signer = { address: 'Buyer', signer: true, writable: true }
const receiver = { address: 'Seller', signer: false, writable: true }
const reference = { address: 'Reference', signer: false, writable: false }

type TransferChanges = Partial<AccountInstruction['transfer'] & Pick<AccountInstruction, 'accounts'>>
function transfer({ from = 'Buyer', to = 'Seller', lamports = 50n, accounts = [signer, receiver, reference] }: TransferChanges = {}) {
  return { program: system, accounts, transfer: { from, to, lamports } }
}

const second = transfer({ to: 'Second', lamports: 70n })
const fee = transfer({ to: 'Studio', lamports: 6n })
const withoutReference = { accounts: [signer, receiver] }

const call = (program: string): AccountInstruction => ({ program, accounts: [], transfer: undefined })

const signed: SignedTransaction = {
  signature: 'signature' as Signature,
  signers: ['Buyer'],
  signatureStates: ['valid'],
  signaturesValid: true,
  version: 0,
  usesLookupTables: false,
  blockhash: 'Blockhash',
  instructions: [],
}
const flawOf = (instructions: AccountInstruction[], expected = single, changes: Partial<SignedTransaction> = {}) =>
  findPaymentFlaw({ ...signed, instructions, ...changes }, expected)

describe('a signed payment', () => {
  it.each<[string, AccountInstruction[]]>([
    ['the transfer alone', [transfer()]],
    ['a priority fee before it', [call(computeBudget), call(computeBudget), transfer()]],
    [
      'a memo and a wallet guard after it',
      [transfer(), call('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'), call('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95')],
    ],
  ])('may hold %s', (_, instructions) => {
    expect(flawOf(instructions)).toBeUndefined()
  })

  it.each<[string, AccountInstruction[], string]>([
    ['no transfer', [call(computeBudget)], 'it lacks the transfer of 50 lamports to Seller.'],
    ['two transfers', [transfer(), transfer()], 'it holds one transfer too many to Seller.'],
    ['a second transfer to someone else', [transfer(), transfer({ to: 'Thief' })], 'it pays another wallet, Thief.'],
    ['a call to another program', [transfer(), call(token)], 'it does something besides this payment.'],
    ['another System instruction, such as AdvanceNonceAccount', [call(system), transfer()], 'it does something besides this payment.'],
    ['a transfer from someone else', [transfer({ from: 'Other' })], 'it pays from another wallet.'],
    ['a transfer to someone else', [transfer({ to: 'Other' })], 'it pays another wallet, Other.'],
    ['a lamport too many', [transfer({ lamports: 51n })], 'its amount for Seller differs from what was agreed.'],
    ['a lamport too few', [transfer({ lamports: 49n })], 'its amount for Seller differs from what was agreed.'],
    ['no reference', [transfer(withoutReference)], noReference],
    ['another reference', [transfer({ accounts: [signer, receiver, { ...reference, address: 'Other' }] })], noReference],
    ['a second reference', [transfer({ accounts: [signer, receiver, reference, reference] })], noReference],
    ['a writable reference', [transfer({ accounts: [signer, receiver, { ...reference, writable: true }] })], noReference],
    ['a signing reference', [transfer({ accounts: [signer, receiver, { ...reference, signer: true }] })], noReference],
    ['a reference from a lookup table', [transfer({ accounts: [signer, receiver, undefined] })], noReference],
  ])('may not hold %s', (_, instructions, flaw) => {
    expect(flawOf(instructions)).toBe(flaw)
  })

  it('must be signed by the buyer alone, with a valid signature', () => {
    for (const signers of [['Other'], ['Buyer', 'Other'], ['Other', 'Buyer']])
      expect(flawOf([transfer()], single, { signers })).toBe('only the paying wallet may sign it.')
    expect(flawOf([transfer()], single, { signaturesValid: false })).toBe('its signature is not valid.')
  })
})

describe('a signed payment of several transfers', () => {
  it.each<[string, AccountInstruction[]]>([
    ['in the agreed order', [transfer(), second, fee]],
    ['in any other order', [call(computeBudget), fee, transfer(), second]],
  ])('holds each of them %s', (_, instructions) => {
    expect(flawOf(instructions, basket)).toBeUndefined()
  })

  it.each<[string, AccountInstruction[], string]>([
    ['lacks one', [transfer(), fee], 'it lacks the transfer of 70 lamports to Second.'],
    ['leaves the fee out', [transfer(), second], 'it lacks the transfer of 6 lamports to Studio.'],
    ['holds one twice', [transfer(), second, second, fee], 'it holds one transfer too many to Second.'],
    ['pays a stranger as well', [transfer(), second, fee, transfer({ to: 'Thief' })], 'it pays another wallet, Thief.'],
    [
      'swaps two recipients',
      [transfer({ lamports: 70n }), transfer({ to: 'Second', lamports: 50n }), fee],
      'its amount for Seller differs from what was agreed.',
    ],
    [
      'pays one too little, and another the rest',
      [transfer(), transfer({ to: 'Second', lamports: 69n }), transfer({ to: 'Studio', lamports: 7n })],
      'its amount for Second differs from what was agreed.',
    ],
    ['carries the reference on some transfers only', [transfer(), second, { ...fee, ...withoutReference }], noReference],
  ])('is refused if it %s', (_, instructions, flaw) => {
    expect(flawOf(instructions, basket)).toBe(flaw)
  })

  it('may pay one recipient twice if that was agreed, but no other amounts', () => {
    const twice = expects(['Seller', 50n], ['Second', 70n], ['Studio', 6n], ['Seller', 3n])
    const again = transfer({ lamports: 3n })
    expect(flawOf([transfer(), second, fee, again], twice)).toBeUndefined()
    expect(flawOf([transfer(), second, fee, transfer()], twice)).toBe('its amount for Seller differs from what was agreed.')
    expect(flawOf([transfer(), second, fee], twice)).toBe('it lacks the transfer of 3 lamports to Seller.')
  })
})
