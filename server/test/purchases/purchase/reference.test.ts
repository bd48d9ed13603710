import { createHmac } from 'node:crypto'
import { base58 } from '@scure/base'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReferences } from '../../../src/purchases/purchase/reference.ts'
import { earlierReference } from './references-0.2.0.ts'

const secret = fc.string({ minLength: 32, maxLength: 64 })
const kind = fc.constantFrom('purchase', 'refund')
const wallet = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes) as WalletAddress)

const buyer = 'JCYoWVEjgW4iocDBRcWPhNYNnNFx3tSqSDxAZetY3Dmz' as WalletAddress

describe('references', () => {
  it('are addresses that their own secret recognises, for what and whom they were made', () => {
    fc.assert(
      fc.property(secret, kind, wallet, (own, made, payer) => {
        const references = createReferences([own])
        const reference = references.make(made, payer)
        expect(parseWalletAddress(reference)).toBe(reference)
        expect(references.kindOf(reference, payer)).toBe(made)
        expect(references.isMadeFor(reference, made, payer)).toBe(true)
        expect(references.isMadeFor(reference, made === 'refund' ? 'purchase' : 'refund', payer)).toBe(false)
      }),
    )
  })

  it('serve nobody but the wallet that they were made for', () => {
    fc.assert(
      fc.property(secret, kind, wallet, wallet, (own, made, payer, other) => {
        fc.pre(payer !== other)
        const references = createReferences([own])
        const reference = references.make(made, payer)
        expect(references.kindOf(reference, other)).toBeUndefined()
        expect(references.isMadeFor(reference, made, other)).toBe(false)
      }),
    )
  })

  it('carry a code that is the HMAC of their use, their wallet and their random half', () => {
    const bytes = base58.decode(createReferences(['r'.repeat(32)]).make('purchase', buyer))
    const text = Buffer.concat([Buffer.from(`juicebar purchase reference of ${buyer}:`), bytes.subarray(0, 16)])
    expect(Buffer.from(bytes.subarray(16))).toEqual(createHmac('sha256', 'r'.repeat(32)).update(text).digest().subarray(0, 16))
  })

  it('are unknown to any other secret', () => {
    fc.assert(
      fc.property(secret, secret, kind, wallet, (own, other, made, payer) => {
        fc.pre(own !== other)
        const reference = createReferences([own]).make(made, payer)
        expect(createReferences([other]).kindOf(reference, payer)).toBeUndefined()
        expect(createReferences([other]).isMadeFor(reference, made, payer)).toBe(false)
      }),
    )
  })

  it('are recognised by a server that has another secret in front, which makes the new ones', () => {
    fc.assert(
      fc.property(secret, secret, kind, wallet, (old, fresh, made, payer) => {
        fc.pre(old !== fresh)
        const both = createReferences([fresh, old])
        const reference = createReferences([old]).make(made, payer)
        expect(both.kindOf(reference, payer)).toBe(made)
        expect(both.isMadeFor(reference, made, payer)).toBe(true)
        expect(createReferences([fresh]).kindOf(both.make(made, payer), payer)).toBe(made)
      }),
    )
  })

  it('of release 0.2.0 are recognised whoever pays, and made for no wallet', () => {
    fc.assert(
      fc.property(secret, secret, kind, wallet, (own, fresh, made, payer) => {
        fc.pre(own !== fresh)
        const references = createReferences([fresh, own])
        const reference = earlierReference(own, made)
        expect(references.kindOf(reference, payer)).toBe(made)
        expect(references.isMadeFor(reference, made, payer)).toBe(false)
        expect(createReferences([fresh]).kindOf(reference, payer)).toBeUndefined()
      }),
    )
  })

  it('cannot be altered: whichever bit is changed, they are nobody’s', () => {
    fc.assert(
      fc.property(secret, kind, fc.nat(255), (own, made, bit) => {
        const references = createReferences([own])
        for (const reference of [references.make(made, buyer), earlierReference(own, made)]) {
          const bytes = base58.decode(reference)
          bytes[bit >> 3]! ^= 1 << (bit & 7)
          expect(references.kindOf(base58.encode(bytes), buyer)).toBeUndefined()
        }
      }),
    )
  })

  it('are nothing that anybody else made up', () => {
    const references = createReferences(['r'.repeat(32)])
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.uint8Array({ minLength: 30, maxLength: 34 }).map((bytes) => base58.encode(bytes)),
        ),
        (text) => {
          expect(references.kindOf(text, buyer)).toBeUndefined()
          expect(references.isMadeFor(text, 'purchase', buyer)).toBe(false)
        },
      ),
    )
  })

  it('do not repeat', () => {
    const references = createReferences(['r'.repeat(32)])
    const made = Array.from({ length: 1_000 }, () => references.make('purchase', buyer))
    expect(new Set(made).size).toBe(1_000)
  })
})
