import { base58 } from '@scure/base'
import { parseWalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createReferences } from '../../src/purchases/reference.ts'

const secret = fc.string({ minLength: 32, maxLength: 64 })
const kind = fc.constantFrom('purchase', 'refund')

describe('references', () => {
  it('are addresses that their own secret recognises, for what they were made for', () => {
    fc.assert(
      fc.property(secret, kind, (own, made) => {
        const reference = createReferences([own]).make(made)
        expect(parseWalletAddress(reference)).toBe(reference)
        expect(createReferences([own]).kindOf(reference)).toBe(made)
      }),
    )
  })

  it('are unknown to any other secret', () => {
    fc.assert(
      fc.property(secret, secret, kind, (own, other, made) => {
        fc.pre(own !== other)
        expect(createReferences([other]).kindOf(createReferences([own]).make(made))).toBeUndefined()
      }),
    )
  })

  it('are recognised by a server that has another secret in front, which makes the new ones', () => {
    fc.assert(
      fc.property(secret, secret, kind, (old, fresh, made) => {
        fc.pre(old !== fresh)
        const both = createReferences([fresh, old])
        expect(both.kindOf(createReferences([old]).make(made))).toBe(made)
        expect(createReferences([fresh]).kindOf(both.make(made))).toBe(made)
      }),
    )
  })

  it('cannot be altered: whichever bit is changed, they are nobody’s', () => {
    fc.assert(
      fc.property(secret, kind, fc.nat(255), (own, made, bit) => {
        const references = createReferences([own])
        const bytes = base58.decode(references.make(made))
        bytes[bit >> 3]! ^= 1 << (bit & 7)
        expect(references.kindOf(base58.encode(bytes))).toBeUndefined()
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
          expect(references.kindOf(text)).toBeUndefined()
        },
      ),
    )
  })

  it('do not repeat', () => {
    const references = createReferences(['r'.repeat(32)])
    const made = Array.from({ length: 1_000 }, () => references.make('purchase'))
    expect(new Set(made).size).toBe(1_000)
  })
})
