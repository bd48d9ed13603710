import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { expect, test } from 'vitest'

import { buildPayment } from '../../src/payment/build-payment.ts'

const from = '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW'
const seller = 'EktUtax5cud3mrcEZrofj6yQxVvNeMNdaGeRPwiKnaCC'
const other = 'CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8'
const reference = 'FfKDQbhBwkZ7Wq3oyrPYC2oYP8cVZQzVZ1oyrPYC2oYP'
const coSigner = '9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g'
const lifetime = { blockhash: '11111111111111111111111111111111', lastValidBlockHeight: 150n }

const one = [{ to: seller, lamports: 250_000_001n }]
const two = [...one, { to: other, lamports: 7n }]

test.each([
  [0, one],
  ['legacy', one],
  [0, two],
  ['legacy', two],
] as const)('a payment of version %s is one transfer of exact lamports to each recipient, carrying the reference', (version, transfers) => {
  const bytes = buildPayment({ from, transfers, reference, version, lifetime })
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(bytes).messageBytes)
  if (!('instructions' in message)) throw new Error('unknown message version')
  expect(message.version).toBe(version)
  expect(message.header).toEqual({ numSignerAccounts: 1, numReadonlySignerAccounts: 0, numReadonlyNonSignerAccounts: 2 })
  const made = message.instructions.map(({ programAddressIndex, accountIndices, data }) => {
    const view = new DataView(new Uint8Array(data ?? []).buffer)
    return {
      program: message.staticAccounts[programAddressIndex],
      accounts: accountIndices?.map((index) => message.staticAccounts[index]),
      data: [view.getUint32(0, true), view.getBigUint64(4, true)],
    }
  })
  const expected = transfers.map(({ to, lamports }) => {
    return { program: '11111111111111111111111111111111', accounts: [from, to, reference], data: [2, lamports] }
  })
  expect(made).toEqual(expected)
})

test.each([0, 'legacy'] as const)(
  'a payment of version %s that the market signs too carries the co-signer after the reference',
  (version) => {
    const bytes = buildPayment({ from, transfers: two, reference, coSigner, version, lifetime })
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    if (!('instructions' in message)) throw new Error('unknown message version')
    expect(message.header).toEqual({ numSignerAccounts: 2, numReadonlySignerAccounts: 1, numReadonlyNonSignerAccounts: 2 })
    expect(Object.entries(signatures)).toEqual([
      [from, null],
      [coSigner, null],
    ])
    const accounts = message.instructions.map(({ accountIndices }) => accountIndices?.map((index) => message.staticAccounts[index]))
    expect(accounts).toEqual(two.map(({ to }) => [from, to, reference, coSigner]))
  },
)
