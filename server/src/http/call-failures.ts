import { type Keywords, type CallSchema } from '@juicebar/contract/schemas/call'
import Type, { type TSchema } from 'typebox'
import { type EndpointName, endpoints } from '@juicebar/contract/endpoints'
import { isSignedCall } from '@juicebar/contract/endpoints/signed'
import { type ErrorCode, errors } from '@juicebar/contract/errors'
import { schemas } from '@juicebar/contract/schemas'
import { ErrorReply } from '@juicebar/contract/schemas/status'
import { type Requirement } from './credentials.ts'
import { needsDatabase } from './route.ts'

/** A JSON Schema in the form of the API document. */
export type JsonSchema = Record<string, unknown>

interface ContractSchema extends Keywords {
  title?: string
  [keyword: string]: unknown
}

/** Translates the contract's schemas for the API document, where those with a title are referenced by name. */
export interface SchemaNames {
  /** A schema for use in the document. */
  reference(schema: TSchema): JsonSchema
  /** The named schemas that were referenced so far. */
  readonly named: Readonly<Record<string, JsonSchema>>
}

/**
 * @param replace returns the document's replacement for a schema of the contract
 * @throws Error from `reference`, if two different schemas have one title.
 */
export function createSchemaNames(replace: (schema: TSchema) => TSchema = (schema) => schema): SchemaNames {
  const named: Record<string, JsonSchema> = {}

  const reference = (given: ContractSchema): JsonSchema => {
    const { title, documentedAs, mustBe: _, ...rest } = asContractSchema(replace(given))
    if (documentedAs) return reference(asContractSchema(documentedAs))
    const translated = translate(rest)
    if (title === undefined) return translated
    const known = (named[title] ??= translated)
    if (JSON.stringify(known) !== JSON.stringify(translated)) throw new Error(`two schemas of the contract are called ${title}`)
    return { $ref: `#/components/schemas/${title}` }
  }

  const translate = (schema: ContractSchema): JsonSchema => {
    const translated: JsonSchema = Array.isArray(schema['enum']) ? { type: 'string' } : {}
    for (const [keyword, value] of Object.entries(schema)) translated[keyword] = nested(keyword, value)
    return translated
  }

  /** The value of a keyword, with the schemas inside it translated. */
  const nested = (keyword: string, value: unknown): unknown => {
    if (keyword === 'items' || keyword === 'contentSchema') return reference(asContractSchema(value))
    if (Array.isArray(value))
      return keyword === 'anyOf' || keyword === 'oneOf' ? value.map((part) => reference(asContractSchema(part))) : value
    if (keyword !== 'properties' || typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, reference(asContractSchema(field))]))
  }

  return { reference: (schema) => reference(asContractSchema(schema)), named }
}

/** TypeBox hides what a schema is made of; it is JSON Schema. */
function asContractSchema(schema: unknown): ContractSchema {
  return schema as ContractSchema
}

/** The failures of any request. NOT_FOUND and METHOD_NOT_ALLOWED are missing: they mean that the request matched no call. */
const always: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'EXPECTATION_FAILED',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
]

const ofAccess: Record<Requirement['access'], readonly ErrorCode[]> = {
  open: [],
  player: ['UNAUTHORIZED', 'SESSION_ENDED'],
  studio: ['STUDIO_KEY_INVALID', 'KEY_EXPIRED', 'KEY_REVOKED', 'SESSION_ENDED', 'NOT_STAFF', 'INSUFFICIENT_SCOPE'],
}

/** For calls that the staff signs. */
const ofSignature: readonly ErrorCode[] = [
  'CHALLENGE_NEEDED',
  'CHALLENGE_NOT_FOUND',
  'CHALLENGE_WALLET_DIFFERS',
  'CHALLENGE_CALL_DIFFERS',
  'CHALLENGE_BODY_DIFFERS',
  'CHALLENGE_SIGNATURE_INVALID',
  'CHALLENGE_USED',
  'CHALLENGE_EXPIRED',
]

/** Every error code that a call can answer with, in the order of the table: those of its own rules and those of its kind. */
export function failuresOf(name: EndpointName, access: Requirement['access']): ErrorCode[] {
  const { body, failures, sessionOptional }: CallSchema = schemas[name]
  const [method, url = ''] = endpoints[name].split(' ')
  const codes = new Set([
    ...always,
    ...ofAccess[access],
    ...(isSignedCall(name) ? ofSignature : []),
    ...(sessionOptional ? ofAccess.player : []),
    ...(needsDatabase(url) ? (['DATABASE_DOWN', 'UPGRADING'] as const) : []),
    ...(method === 'GET' ? [] : (['UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...(body && 'required' in body ? (['FIELDS_MISSING'] as const) : []),
    ...failures,
  ])
  return tableOrder.filter((code) => codes.has(code))
}

const tableOrder = Object.keys(errors) as ErrorCode[]

/** Error replies by status. A reply with a single code is a reference made by `refer`, because many calls share it. */
export function documentFailures(codes: readonly ErrorCode[], names: SchemaNames, refer: (code: ErrorCode) => JsonSchema) {
  const statuses = new Set(codes.map((code) => errors[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const [first, ...others] = codes.filter((code) => errors[code].status === status)
      if (!first) throw new Error('a status without a code')
      return [status, others.length === 0 ? refer(first) : documentFailure([first, ...others], names)]
    }),
  )
}

const retryAfter = Type.Integer({ minimum: 1 })

/** One error reply that carries any of these codes. */
export function documentFailure(codes: readonly ErrorCode[], names: SchemaNames): JsonSchema {
  const waits = codes.some((code) => 'retryAfter' in errors[code])
  const header = { description: 'Seconds to wait before trying again', schema: names.reference(retryAfter) }
  const code = { type: 'object', properties: { code: { type: 'string', enum: codes } } }
  return {
    description: codes.map((each) => `\`${each}\`: ${errors[each].text.replaceAll('{detail}', '…')}`).join('\n\n'),
    ...(waits && { headers: { 'Retry-After': header } }),
    content: { 'application/json': { schema: { allOf: [names.reference(ErrorReply), code] } } },
  }
}
