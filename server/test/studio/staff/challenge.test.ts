import { type WalletAddress } from '@juicebar/contract/addresses'
import { type SignedCall, signedCalls } from '@juicebar/contract/endpoints/signed'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { challengeMessage, challengeRefusal, findSignedCall, hashBody } from '../../../src/studio/staff/staff.ts'
import { codePoint } from '../../support/code-point.ts'

const few = <T>(...values: [T, ...T[]]) => fc.constantFrom(...values)
const signed = fc.record({
  walletAddress: few('a', 'b').map((text) => text as WalletAddress),
  call: few('POST /api/studio/keys', 'POST /api/studio/credits'),
  bodyHash: few('x', 'y').map(hashBody),
})

describe('a challenge', () => {
  it('stands for exactly what was signed, once and in time', () => {
    const row = fc.tuple(signed, fc.record({ isUsed: fc.boolean(), isExpired: fc.boolean() }))
    fc.assert(
      fc.property(row, signed, fc.boolean(), ([of, state], asked, isSigned) => {
        const same =
          of.walletAddress === asked.walletAddress &&
          of.call === asked.call &&
          of.bodyHash.toString('hex') === asked.bodyHash.toString('hex')
        const stands = same && isSigned && !state.isUsed && !state.isExpired
        expect(challengeRefusal({ ...of, ...state, message: 'm' }, asked, () => isSigned) === undefined).toBe(stands)
      }),
      // About one in 64 differs in nothing but being used, or expired.
      { numRuns: 3_000 },
    )
  })

  it('has as many lines as it should, whatever the texts of the call', () => {
    const strange = fc.string({ unit: codePoint, maxLength: 300 })
    const body = fc.record({ name: strange, reason: strange, walletAddress: strange, tokenType: strange, scopes: fc.array(strange) })
    fc.assert(
      fc.property(few<SignedCall>(...signedCalls), body, (name, of) => {
        const action = { name, subject: 's', body: of, call: 'POST /api/studio/x', bodyHash: hashBody('') }
        const message = challengeMessage('Juicebar, market.example', 'id', action)
        expect(message.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(7)
        expect(message).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })
})

describe('a signed call', () => {
  it.each([
    ['POST', '/api/studio/credits', 'studioCredit', ''],
    ['DELETE', '/api/studio/keys/01a1-f', 'revokeStudioKey', '01a1-f'],
    ['DELETE', '/api/studio/staff/5dEb?reason=x', 'removeStaff', '5dEb'],
    ['POST', '/api/studio/purchases/01a1/release', 'releasePurchase', '01a1'],
    ['POST', '/api/studio/webhooks/01a1/rotate?reason=x', 'rotateWebhook', '01a1'],
  ])('%s %s is known', (method, path, name, subject) => {
    expect(findSignedCall({ method, path })).toEqual({ name, subject })
  })

  it.each([
    ['GET', '/api/studio/keys'],
    ['PUT', '/api/studio/webhooks/01a1'],
    ['POST', '/api/studio/credits/'],
    ['POST', '/api/studio/credits\nx'],
    ['POST', '/api/studio/credits?a\nx'],
    ['DELETE', '/api/studio/keys/a%2Fb'],
    ['POST', 'https://market.example/api/studio/credits'],
  ])('%s %j is not', (method, path) => {
    expect(findSignedCall({ method, path })).toBeUndefined()
  })
})
