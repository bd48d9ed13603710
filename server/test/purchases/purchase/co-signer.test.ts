import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSignedBy } from '../../../src/chain/transactions/keys.ts'
import { createCoSigners } from '../../../src/purchases/purchase/co-signer.ts'

const message = Buffer.from('message')

/** Computed with `openssl kdf` (HKDF), `openssl pkey` and `openssl pkeyutl -sign`, of which each signed the text `message`. */
const vectors = [
  {
    secret: 'r'.repeat(32),
    payments: 'AaBRJuxFAFMdtQL15wvXSmS2xEs4E29rUbXWEPMyse6E',
    paymentSignature:
      '66163fc560ae9b7dfaf220c2c18ec12f7ff51bd14bb07257a03c8c6c899f8700bb716a2cc71d660a6e0ff9d46280ab8ee2e6fd0e78f1eb6693ae46bdf0f4d504',
    refunds: 'Cnqr9DD9a4NpJ8Lm3BqJ6FnEt3bRzY7QR8wAPQmxAqX3',
    refundSignature:
      'd594db042e055b26a15338c9308f99a75cc826e32c27566aae35fb6564829104ecae212b70a93b1bee78eb0ed3909171044679822a21211c5a17e241e90e9508',
  },
  {
    secret: 'ö'.repeat(32),
    payments: 'EAeSaLc3AJhMZ5VygvGjSn621J9pJuxxdZBeX38GYBFA',
    paymentSignature:
      'aac18f1c9693920d0fbf9443c532ca34433856ed62c32fa3eeec15dc4f1197881e90963ae0f835bac73be689995a799c6c4e337e6176170ebb0285164fda2b0d',
    refunds: '5Dvkohp9PvqVztWQs1oaUohXsT32Jfqq1vprzX9g4zKV',
    refundSignature:
      'd7585b18d9c5d1fb8c7290635b2cde68ca415e3973a54988e54feac76c207ecb92a0a8d7ea975dd4f1054b400f83f6547b7106596a4c16bff27f095af2585f02',
  },
]
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('co-signers', () => {
  it.each(vectors)('have the keys of their secret, as OpenSSL derives them: $payments', (vector) => {
    const coSigners = createCoSigners([vector.secret])
    expect(coSigners).toMatchObject({ current: vector.payments, former: [], refund: vector.refunds, formerRefunds: [] })
    expect(hex(coSigners.sign(vector.payments, message))).toBe(vector.paymentSignature)
    expect(hex(coSigners.sign(vector.refunds, message))).toBe(vector.refundSignature)
  })

  it('of former secrets still sign, and are no longer what new payments name', () => {
    const [old, fresh] = vectors.map(({ secret }) => secret) as [string, string]
    const both = createCoSigners([fresh, old])
    expect(both).toMatchObject({
      current: vectors[1]!.payments,
      former: [vectors[0]!.payments],
      refund: vectors[1]!.refunds,
      formerRefunds: [vectors[0]!.refunds],
    })
    expect(hex(both.sign(vectors[0]!.payments, message))).toBe(vectors[0]!.paymentSignature)
    expect(hex(both.sign(vectors[0]!.refunds, message))).toBe(vectors[0]!.refundSignature)
    expect(createCoSigners([fresh, fresh])).toMatchObject({ former: [], formerRefunds: [] })
  })

  it('sign with no key of another market', () => {
    const { sign } = createCoSigners([vectors[0]!.secret])
    expect(() => sign(vectors[1]!.payments, message)).toThrow('is no co-signer of this market')
    expect(() => createCoSigners([])).toThrow('need a secret')
  })

  it('sign whatever message so that its signature is valid, with another key for each purpose and secret', () => {
    const secret = fc.string({ minLength: 32, maxLength: 40 })
    fc.assert(
      fc.property(secret, secret, fc.uint8Array(), (one, other, bytes) => {
        fc.pre(one !== other)
        const coSigners = createCoSigners([one, other])
        const addresses = [coSigners.current, ...coSigners.former, coSigners.refund, ...coSigners.formerRefunds]
        expect(new Set(addresses).size).toBe(4)
        for (const address of addresses) expect(isSignedBy(address, bytes, coSigners.sign(address, bytes))).toBe(true)
      }),
      { numRuns: 30 },
    )
  })
})
