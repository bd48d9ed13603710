/** Fields that many calls share. A schema with a title becomes a named schema of the API document. */
import Type, { type TSchema } from 'typebox'

import { CODE_PATTERN, MAX_CODE } from '../catalogue.ts'
import {
  LISTINGS_PAGE,
  MAX_AMOUNT,
  MAX_LISTINGS_PAGE,
  MAX_PRICE_SOL,
  MAX_REASON,
  MAX_TRANSACTION_BASE64,
  MIN_AMOUNT,
  MIN_PRICE_SOL,
  PRICE_STEP_SOL,
} from '../limits.ts'
import { type Keywords } from './call.ts'

const keywords = (own: Keywords) => own

/** Requests are closed: an unknown field is an error. */
export const closed = { additionalProperties: false }

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Exactly one of the schemas fits. */
export const OneOf = <T extends TSchema[]>(schemas: [...T], options: object) =>
  Type.Unsafe<Type.Static<T[number]>>({ oneOf: schemas, ...options })

export const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** A required text of a request, and the words of its refusal. */
export const RequiredText = (mustBe: string, maxLength: number, { minLength = 1, description = mustBe } = {}) =>
  Type.String({ ...keywords({ mustBe }), description, minLength, maxLength })

/** A moment in a request, which `parseTime` reads. */
export const optionalTime = (description: string) =>
  Type.Optional(RequiredText('a date, or a time with its zone, in ISO 8601', 40, { description }))

export const walletAddress = RequiredText('a Solana wallet address in base58', 44, {
  minLength: 32,
  description: 'A Solana wallet address: a public key of 32 bytes in base58',
})
export const signature = RequiredText('an ed25519 signature in base58', 88, {
  minLength: 64,
  description: 'An ed25519 signature: 64 bytes in base58',
})
export const signedTransaction = RequiredText('a signed Solana transaction in base64', MAX_TRANSACTION_BASE64, {
  description: 'A signed Solana transaction, as it goes over the wire, in base64',
})

const logReasonOf = (minLength: number) =>
  Type.Optional(RequiredText(`why, at most ${MAX_REASON} characters`, MAX_REASON, { minLength, description: 'Why, for the studio’s log' }))
/** Why a call is made. It changes nothing but the studio's log. */
export const logReason = logReasonOf(1)
/** The same for an order, which may have said nothing in 0.1.0, too. */
export const orderReason = logReasonOf(0)
/** The same for a call without a body. */
export const logReasonQuery = Type.Object({ reason: logReason }, closed)

/** The identifier in a call's path. */
export const idParams = (description: string) =>
  Type.Object({ id: RequiredText('an identifier', 64, { description: `${description}: a UUID` }) })

/** Identifiers and addresses in replies. */
export const Id = (description: string) => Type.String({ description })
export const Address = (description: string) => Type.String({ description: `${description}: an address in base58` })

export const lamports = Type.String({ description: 'A whole number of lamports, as text: 1 SOL is 1,000,000,000', pattern: '^[0-9]+$' })
/** Lamports in a reply. */
export const repliedLamports = (description: string) => Type.String({ description: `${description}, in lamports`, pattern: '^[0-9]+$' })
/** Lamports in a request: at most twenty digits, more than exist. */
export const lamportsOf = (description: string) =>
  Type.String({ ...keywords({ mustBe: 'a whole number of lamports, as text' }), description, pattern: '^[0-9]{1,20}$', maxLength: 20 })

export const FeeSchema = Type.Object(
  { lamports, basisPoints: Type.Integer({ minimum: 0, maximum: 1000, description: 'Its rate in hundredths of a percent' }) },
  { title: 'Fee', description: 'What the buyer pays the studio on top, in the same transaction' },
)

/** The catalogue that the server has read decides which exist, and replaces these three in the API document. */
export const TokenTypeSchema = Type.String({ title: 'TokenType', description: 'What the API calls a drink', pattern: CODE_PATTERN })
export const TokenNameSchema = Type.String({ title: 'TokenName', description: 'What players call a drink' })
const TokenTypeOrName = Type.String({ title: 'TokenTypeOrName', description: 'A token type or its display name' })

/** A token in a request's body. */
export const requiredToken = Type.String({
  ...keywords({ mustBe: 'a token type or its display name', documentedAs: TokenTypeOrName }),
  minLength: 1,
  maxLength: MAX_CODE,
})
/** A token to filter by. */
export const tokenFilter = Type.String({ ...keywords({ documentedAs: TokenTypeOrName }), maxLength: MAX_CODE })

const amountText = `a whole number from ${MIN_AMOUNT} to ${MAX_AMOUNT}`
export const amount = Type.Integer(
  keywords({
    mustBe: amountText,
    documentedAs: Type.Integer({ minimum: MIN_AMOUNT, maximum: MAX_AMOUNT, description: 'How many drinks' }),
  }),
)

const priceText = `SOL from ${MIN_PRICE_SOL} to ${MAX_PRICE_SOL} in steps of ${PRICE_STEP_SOL}`
export const price = Type.Number(
  keywords({
    mustBe: priceText,
    documentedAs: Type.Number({ minimum: MIN_PRICE_SOL, maximum: MAX_PRICE_SOL, description: `The whole listing, in ${priceText}` }),
  }),
)

/** Yes or no in a request. */
export const Flag = (description: string) => Type.Boolean({ ...keywords({ mustBe: 'true or false' }), description })

/** How long a page may be. */
export const pageLimit = ({ usual, most }: { usual: number; most: number }) =>
  Type.Optional(
    Type.Integer({
      ...keywords({ mustBe: `from 1 to ${most}, ${usual} by default` }),
      minimum: 1,
      maximum: most,
      default: usual,
      description: 'Most items in one page',
    }),
  )

/** Which page of a list. */
export const pageOf = {
  limit: pageLimit({ usual: LISTINGS_PAGE, most: MAX_LISTINGS_PAGE }),
  cursor: Type.Optional(
    Type.String({ maxLength: 256, description: 'The `nextCursor` of the page before; leave it out for the first page' }),
  ),
}

export const nextCursor = Nullable(Type.String({ description: 'Pass it as `cursor` for the next page; null on the last' }))

const entityTag = Type.String({ description: 'The version of this page; send it as `If-None-Match` to get it only if it has changed' })
const cacheControl = Type.String({ description: '`no-cache` for a page with an `ETag`, else `no-store`' })
const age = Type.Integer({
  minimum: 0,
  description: 'Only while the database is away: how many seconds ago a first page was read, at most 60, for calls without a session',
})
const lastEventId = Type.String({ description: 'An event stream that starts here misses nothing that this page does not show' })
const versionHeaders = { ETag: entityTag, 'Last-Event-ID': lastEventId, 'Cache-Control': cacheControl }
const headers = { 'If-None-Match': Type.String({ description: 'The `ETag` of the page that the client has' }) }
const notModified = { description: 'The client has this page already', headers: versionHeaders }

/** The documentation of a call that is answered from memory; for `documentedPage`, also while the database is down. */
export const documentedFresh = { headers, replies: { 200: { headers: versionHeaders }, 304: notModified } }
export const documentedPage = { headers, replies: { 200: { headers: { ...versionHeaders, Age: age } }, 304: notModified } }
