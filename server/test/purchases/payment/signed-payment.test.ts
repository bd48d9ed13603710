import { parseSignature, type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'

import { type AccountInstruction, type SignedTransaction } from '../../../src/chain/chain.ts'
import { findPaymentFlaw } from '../../../src/purchases/payment/signed-payment.ts'

const expected = { from: 'Buyer', to: 'Seller', lamports: 50n, reference: 'Reference' }
const system = '11111111111111111111111111111111'
const computeBudget = 'ComputeBudget111111111111111111111111111111'
const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

const signer = { address: 'Buyer', signer: true, writable: true }
const receiver = { address: 'Seller', signer: false, writable: true }
const reference = { address: 'Reference', signer: false, writable: false }

function transfer(
  changes: { from?: string; to?: string; lamports?: bigint; accounts?: AccountInstruction['accounts'] } = {},
): AccountInstruction {
  const { from = 'Buyer', to = 'Seller', lamports = 50n, accounts = [signer, receiver, reference] } = changes
  return { program: system, accounts, transfer: { from, to, lamports } }
}

const call = (program: string): AccountInstruction => ({ program, accounts: [], transfer: undefined })

function flawOf(instructions: AccountInstruction[], changes: Partial<SignedTransaction> = {}): string | undefined {
  const transaction: SignedTransaction = {
    signature: someSignature(),
    signers: ['Buyer'],
    signaturesValid: true,
    version: 0,
    usesLookupTables: false,
    blockhash: 'Blockhash',
    instructions,
    ...changes,
  }
  return findPaymentFlaw(transaction, expected)
}

function someSignature(): Signature {
  const signature = parseSignature('1'.repeat(64))
  if (!signature) throw new Error('64 ones are a signature')
  return signature
}

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
    ['no transfer', [call(computeBudget)], 'it must hold exactly one transfer.'],
    ['two transfers', [transfer(), transfer()], 'it must hold exactly one transfer.'],
    ['a second transfer to someone else', [transfer(), transfer({ to: 'Thief' })], 'it must hold exactly one transfer.'],
    ['a call to another program', [transfer(), call(token)], 'it does something besides this payment.'],
    ['another System instruction, such as AdvanceNonceAccount', [call(system), transfer()], 'it does something besides this payment.'],
    ['a transfer from someone else', [transfer({ from: 'Other' })], 'it pays another wallet.'],
    ['a transfer to someone else', [transfer({ to: 'Other' })], 'it pays another wallet.'],
    ['a lamport too many', [transfer({ lamports: 51n })], 'its amount differs from the price.'],
    ['a lamport too few', [transfer({ lamports: 49n })], 'its amount differs from the price.'],
    ['no reference', [transfer({ accounts: [signer, receiver] })], "it does not carry this purchase's reference."],
    [
      'another reference',
      [transfer({ accounts: [signer, receiver, { ...reference, address: 'Other' }] })],
      "it does not carry this purchase's reference.",
    ],
    [
      'a second reference',
      [transfer({ accounts: [signer, receiver, reference, reference] })],
      "it does not carry this purchase's reference.",
    ],
    [
      'a writable reference',
      [transfer({ accounts: [signer, receiver, { ...reference, writable: true }] })],
      "it does not carry this purchase's reference.",
    ],
    [
      'a reference from a lookup table',
      [transfer({ accounts: [signer, receiver, undefined] })],
      "it does not carry this purchase's reference.",
    ],
  ])('may not hold %s', (_, instructions, flaw) => {
    expect(flawOf(instructions)).toBe(flaw)
  })

  it('must be signed by the buyer alone, with a valid signature', () => {
    expect(flawOf([transfer()], { signers: ['Other'] })).toBe('only the paying wallet may sign it.')
    expect(flawOf([transfer()], { signers: ['Buyer', 'Other'] })).toBe('only the paying wallet may sign it.')
    expect(flawOf([transfer()], { signers: ['Other', 'Buyer'] })).toBe('only the paying wallet may sign it.')
    expect(flawOf([transfer()], { signaturesValid: false })).toBe('its signature is not valid.')
  })
})
