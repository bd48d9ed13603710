import { type EndpointName, endpoints } from '@juicebar/contract/endpoints'
import { isSignedCall } from '@juicebar/contract/endpoints/signed'
import { type ErrorCode, errors } from '@juicebar/contract/errors'
import { schemas } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'
import { ErrorReply } from '@juicebar/contract/schemas/status'
import Type from 'typebox'

import { needsDatabase } from '../api/needs-database.ts'
import { type Access } from '../api/route.ts'
import { type JsonSchema, type SchemaNames } from './schema-names.ts'

/** The failures of any request. NOT_FOUND and METHOD_NOT_ALLOWED are missing: they mean that the request matched no call. */
const always: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'EXPECTATION_FAILED',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
]

const ofAccess: Record<Access, readonly ErrorCode[]> = {
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
export function failuresOf(name: EndpointName, access: Access): ErrorCode[] {
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
