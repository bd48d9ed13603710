import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { expect, test } from 'vitest'

import { buildPayment } from '../../src/payment/build-payment.ts'

test.each([0, 'legacy'] as const)('a payment of version %s is one transfer of exact lamports that carries the reference', (version) => {
  const from = '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW'
  const to = 'EktUtax5cud3mrcEZrofj6yQxVvNeMNdaGeRPwiKnaCC'
  const reference = 'FfKDQbhBwkZ7Wq3oyrPYC2oYP8cVZQzVZ1oyrPYC2oYP'
  const lifetime = { blockhash: '11111111111111111111111111111111', lastValidBlockHeight: 150n }
  const bytes = buildPayment({ from, to, lamports: 250_000_001n, reference, version, lifetime })

  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(bytes).messageBytes)
  if (!('instructions' in message)) throw new Error('unknown message version')
  expect(message.version).toBe(version)
  expect(message.header).toEqual({ numSignerAccounts: 1, numReadonlySignerAccounts: 0, numReadonlyNonSignerAccounts: 2 })
  expect(message.instructions).toHaveLength(1)
  const [transfer] = message.instructions
  expect(transfer?.accountIndices?.map((index) => message.staticAccounts[index])).toEqual([from, to, reference])
  expect(message.staticAccounts[transfer?.programAddressIndex ?? -1]).toBe('11111111111111111111111111111111')
  const data = new DataView(new Uint8Array(transfer?.data ?? []).buffer)
  expect([data.getUint32(0, true), data.getBigUint64(4, true)]).toEqual([2, 250_000_001n])
})
