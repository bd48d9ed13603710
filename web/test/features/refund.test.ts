import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { describe, expect, test } from 'vitest'

import { checkedRefund, type RefundTerms } from '../../src/features/cases/refund-transaction.ts'
import { buildPayment } from '../../src/payment/build-payment.ts'

const other = 'CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8'
const lifetime = { blockhash: 'FfKDQbhBwkZ7Wq3oyrPYC2oYP8cVZQzVZ1oyrPYC2oYP', lastValidBlockHeight: 150n }
const terms: RefundTerms = {
  from: '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW',
  to: 'EktUtax5cud3mrcEZrofj6yQxVvNeMNdaGeRPwiKnaCC',
  lamports: 400_000_000n,
  reference: 'GGyLbGTm5ZiNHAQpsYTgrLf5DMdMmLSX6Er5E2zaN7zu',
  coSigner: null,
}
const coSigned: RefundTerms = { ...terms, coSigner: 'JCYoWVEjgW4iocDBRcWPhNYNnNFx3tSqSDxAZetY3Dmz' }

const built = ({ from, to, lamports, reference, coSigner }: RefundTerms, version: 0 | 'legacy') =>
  buildPayment({ from, transfers: [{ to, lamports }], reference, ...(coSigner !== null && { coSigner }), lifetime, version })

describe('a refund that the server prepared', () => {
  test('is signed if it is the one that was shown, in a version that the wallet supports', () => {
    const prepared = built(terms, 0)
    expect(checkedRefund(prepared, terms, 0)).toEqual(prepared)
    const legacy = checkedRefund(prepared, terms, 'legacy') ?? new Uint8Array()
    expect(legacy).toEqual(built(terms, 'legacy'))
    const { messageBytes } = getTransactionDecoder().decode(legacy)
    expect(getCompiledTransactionMessageDecoder().decode(messageBytes).lifetimeToken).toBe(lifetime.blockhash)
  })

  test('is signed with the market as its second signer if that was asked for', () => {
    const prepared = built(coSigned, 0)
    expect(checkedRefund(prepared, coSigned, 0)).toEqual(prepared)
    expect(checkedRefund(prepared, terms, 0)).toBeUndefined()
    expect(checkedRefund(built(terms, 0), coSigned, 0)).toBeUndefined()
  })

  test.each([
    ['pays somebody else', { to: other }],
    ['pays more', { lamports: terms.lamports + 1n }],
    ['is another wallet’s to pay', { from: other }],
    ['carries another reference', { reference: other }],
  ])('is refused if it %s', (_, change) => {
    const prepared = built({ ...terms, ...change }, 0)
    expect(checkedRefund(prepared, terms, 0)).toBeUndefined()
  })

  test('is refused if it does anything else as well', () => {
    expect(checkedRefund(withSecondTransfer(), terms, 0)).toBeUndefined()
  })

  test('is refused if it is cut short or is no transaction', () => {
    const prepared = built(terms, 0)
    expect(checkedRefund(prepared.slice(0, -1), terms, 0)).toBeUndefined()
    expect(checkedRefund(Uint8Array.from([...prepared, 0]), terms, 0)).toBeUndefined()
    expect(checkedRefund(new Uint8Array([7]), terms, 0)).toBeUndefined()
  })
})

/** The right refund, followed by one lamport for somebody else. */
function withSecondTransfer(): Uint8Array {
  const source = createNoopSigner(address(terms.from))
  const transfer = getTransferSolInstruction({ source, destination: address(terms.to), amount: terms.lamports })
  const reference = { address: address(terms.reference), role: AccountRole.READONLY }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(source.address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ ...lifetime, blockhash: blockhash(lifetime.blockhash) }, draft),
    (draft) => appendTransactionMessageInstruction({ ...transfer, accounts: [...transfer.accounts, reference] }, draft),
    (draft) => appendTransactionMessageInstruction(getTransferSolInstruction({ source, destination: address(other), amount: 1n }), draft),
  )
  return new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)))
}
