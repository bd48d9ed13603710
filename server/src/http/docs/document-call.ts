import { STATUS_CODES } from 'node:http'

import { CHALLENGE_HEADER, isSignedCall, SIGNATURE_HEADER } from '@juicebar/contract/endpoints/signed'
import { schemas, sections } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'
import { type FastifySchema } from 'fastify'
import Type, { type TSchema } from 'typebox'

import { type Access, type DeclaredCall } from '../api/route.ts'
import { type JsonSchema, type SchemaNames } from './schema-names.ts'

const json = 'application/json'

const security: Record<Access, Record<string, string[]>[]> = {
  open: [],
  player: [{ session: [] }],
  studio: [{ session: [] }, { studioKey: [] }],
}

/** For calls that the staff signs. */
const signatureHeaders = {
  [CHALLENGE_HEADER]: Type.String({ description: 'With a session of the staff: the `id` of the challenge for this call' }),
  [SIGNATURE_HEADER]: Type.String({ description: 'With a session of the staff: the wallet’s signature of its `message`, in base58' }),
}

/** Whether a call may be made with or without a body. */
export function isBodyOptional(name: string): boolean {
  const calls: Record<string, CallSchema> = schemas
  const body = calls[name]?.body
  return body !== undefined && Type.IsOptional(body)
}

/** A call's entry in the API document, except for its failures. */
export function documentCall({ name, access, scopes }: DeclaredCall, names: SchemaNames): FastifySchema {
  const { summary, description, params, querystring, headers, body, sessionOptional, documented = {} }: CallSchema = schemas[name]
  const neededScope = scopes ? ` Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.` : ''
  const documentedBody = documented.body ?? body
  const documentedHeaders = isSignedCall(name) ? signatureHeaders : documented.headers
  return {
    operationId: name,
    tags: sections.filter(({ calls }) => name in calls).map((section) => section.name),
    summary,
    description: `${description ?? `${summary}.`}${neededScope}`,
    security: sessionOptional ? [{}, ...security.player] : security[access],
    ...(params && { params: names.reference(params) }),
    ...(querystring && { querystring: names.reference(querystring) }),
    ...(headers && { headers: names.reference(headers) }),
    ...(documentedHeaders && { headers: names.reference(Type.Object(optional(documentedHeaders))) }),
    ...(documentedBody && { body: names.reference(documentedBody) }),
    response: successes(schemas[name], names),
  }
}

function optional(headers: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(headers).map(([name, schema]) => [name, Type.Optional(schema)]))
}

type Replies = Record<string, JsonSchema>

function successes({ response = {}, documented: { replies = {} } = {} }: CallSchema, names: SchemaNames): Replies {
  const statuses = new Set([...Object.keys(response), ...Object.keys(replies)].map(Number))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const { description = STATUS_CODES[status] ?? '', headers = {}, content } = replies[status] ?? {}
      const schema = response[status]
      const media = content ?? (schema && !Type.IsNull(schema) ? { [json]: schema } : undefined)
      return [status, { description, ...documentHeaders(headers, names), ...documentContent(media, names) }]
    }),
  )
}

function documentHeaders(headers: Record<string, TSchema>, names: SchemaNames): JsonSchema {
  const entries = Object.entries(headers).map(([name, schema]) => [name, names.reference(schema)])
  return entries.length === 0 ? {} : { headers: Object.fromEntries(entries) }
}

/** For the library, a reply without content has the type null. */
function documentContent(media: Record<string, TSchema> | undefined, names: SchemaNames): JsonSchema {
  if (!media) return { type: 'null' }
  return { content: Object.fromEntries(Object.entries(media).map(([type, schema]) => [type, { schema: names.reference(schema) }])) }
}
