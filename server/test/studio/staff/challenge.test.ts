import { type WalletAddress } from '@juicebar/contract/addresses'
import { type SignedCall, signedCalls } from '@juicebar/contract/endpoints/signed'
import { schemas } from '@juicebar/contract/schemas'
import { type CallSchema, type Keywords } from '@juicebar/contract/schemas/call'
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
    const texts = { idempotencyKey: strange, reason: strange, walletAddress: strange, tokenType: strange }
    const orders = fc.array(fc.oneof(strange, fc.record({ direction: few('credit', 'debit'), ...texts })), { maxLength: 12 })
    const fields = fc.record({ ...texts, name: strange, url: strange, scopes: fc.array(strange), events: fc.array(strange), orders })
    const linesOf = (name: SignedCall, given: object) => textOf(name, given).split(/[\n\r\u0085\u2028\u2029]/).length
    fc.assert(
      fc.property(few<SignedCall>(...signedCalls), fields, (name, given) => {
        const plainly = Object.fromEntries(Object.keys(given).map((field) => [field, 'x']))
        expect(linesOf(name, given)).toBe(
          linesOf(name, { ...plainly, orders: given.orders.map((order) => (typeof order === 'string' ? 'x' : { direction: 'credit' })) }),
        )
        expect(textOf(name, given)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })

  it('says how much it leaves out of a text that is too long to be shown', () => {
    const reason = 'x'.repeat(1_000)
    expect(textOf('releasePurchase', { reason })).toContain(`Reason: "${reason.slice(0, 200)}" and 800 more characters`)
  })

  it('of many orders shows the largest, and counts the others', () => {
    const orders = Array.from({ length: 12 }, (_, index) => ({
      direction: index < 8 ? 'credit' : 'debit',
      walletAddress: `wallet ${index}`,
      tokenType: 'APPLE_JUICE',
      amount: index + 1,
      idempotencyKey: `key ${index}`,
    }))
    const lines = textOf('studioOrders', { orders }).split('\n')
    expect(lines[1]).toBe('Post 12 orders: 8 credits of 36 tokens, 4 debits of 42 tokens, for 12 wallets')
    expect(lines.slice(2, 13)).toEqual([
      'Debit 12 APPLE_JUICE from wallet 11, idempotency key "key 11"',
      ...[11, 10, 9].map((n) => `Debit ${n} APPLE_JUICE from wallet ${n - 1}, idempotency key "key ${n - 1}"`),
      ...[8, 7, 6, 5, 4, 3].map((n) => `Credit ${n} APPLE_JUICE to wallet ${n - 1}, idempotency key "key ${n - 1}"`),
      'and 2 smaller ones, for which the SHA-256 of the body stands',
    ])
  })
})

/** The text for a call with these fields, without the lines that stand for its bytes. */
function textOf(name: SignedCall, fields: object): string {
  const action = { name, subject: 's', fields: { ...fields }, call: 'POST /api/studio/x', bodyHash: hashBody('') }
  return challengeMessage('Juicebar, market.example', 'id', action)
}

interface FieldSchema extends Keywords {
  type?: string
  enum?: readonly string[]
  const?: unknown
  anyOf?: readonly FieldSchema[]
  items?: FieldSchema
  properties?: Readonly<Record<string, FieldSchema>>
  required?: readonly string[]
  pattern?: string
}

/** What a schema describes besides null. */
function described(schema: FieldSchema): FieldSchema {
  const { documentedAs, anyOf } = schema
  if (documentedAs) return described(documentedAs)
  const part = anyOf?.find(({ type }) => type !== 'null')
  return part ? described(part) : schema
}

/** One of two values of a field that have nothing in common. */
function sampleOf(schema: FieldSchema, name: string, which: 0 | 1): unknown {
  const { enum: words, items, properties, type, pattern } = described(schema)
  if (words) return words[which]
  if (items) return [sampleOf(items, name, which)]
  if (properties) return Object.fromEntries(Object.entries(properties).map(([field, of]) => [field, sampleOf(of, field, which)]))
  if (type === 'integer') return 7_000 + which
  if (pattern) return `209${which}-01-31T00:00:00Z`
  return `${name}-${which ? 'that' : 'this'}`
}

function leavesOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)]
}

/** Every field of every signed call: of its body, and of its query. */
const signedFields = signedCalls.flatMap((name) => {
  const { body, querystring }: CallSchema = schemas[name]
  const parts = [body, querystring].flatMap((part) => (part ? [described(part as FieldSchema)] : []))
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, FieldSchema>
  const required = new Set(parts.flatMap((part) => part.required ?? []))
  return Object.keys(properties).map((field) => ({ name, field, properties, isOptional: !required.has(field) }))
})

describe('the text that is signed', () => {
  it.each(signedFields)('for $name says what $field is', ({ name, field, properties, isOptional }) => {
    const fields = sampleOf({ properties }, name, 0) as Record<string, unknown>
    const text = textOf(name, fields)
    for (const value of leavesOf(fields[field])) expect(text.toLowerCase()).toContain(value.toLowerCase())
    const others = [{ ...fields, [field]: sampleOf(properties[field] ?? {}, field, 1) }]
    if (isOptional) others.push(Object.fromEntries(Object.entries(fields).filter(([key]) => key !== field)))
    expect(new Set([text, ...others.map((other) => textOf(name, other))]).size).toBe(1 + others.length)
  })

  it('is tested for every field', () => {
    expect(signedFields.length).toBeGreaterThan(25)
    expect(new Set(signedFields.map(({ name }) => name))).toEqual(new Set(signedCalls))
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
