import { STATUS_CODES } from 'node:http'
import { balanceKey, type CatalogueItem } from '@juicebar/contract/catalogue'
import Type, { type TSchema } from 'typebox'
import { CHALLENGE_HEADER, isSignedCall, SIGNATURE_HEADER } from '@juicebar/contract/endpoints/signed'
import { schemas, sections } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifySchema } from 'fastify'
import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { type ErrorCode } from '@juicebar/contract/errors'
import { marketTitle } from '@juicebar/contract/market-settings'
import { type Requirement } from './credentials.ts'
import { type DeclaredCall } from './route.ts'
import { type JsonSchema, type SchemaNames, documentFailure, documentFailures, failuresOf, createSchemaNames } from './call-failures.ts'
import { type PreparedReply, prepareReply } from './prepared-reply.ts'

interface Titled {
  title?: string
  description?: string
}

/**
 * Returns a schema for the API document in place of one of the contract: schemas of catalogue items list the actual items. Other schemas
 * are returned unchanged.
 */
function nameItems(items: readonly CatalogueItem[]): (schema: TSchema) => TSchema {
  const codes = items.map(({ code }) => code)
  const names = items.map(({ name }) => name)
  const amounts = Object.fromEntries(codes.map((code) => [balanceKey(code), Type.Integer()]))
  return (schema) => {
    const { title, description }: Titled = schema
    const words = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
    switch (title) {
      case 'TokenType':
        return Type.Enum(codes, words)
      case 'TokenName':
        return Type.Enum(names, words)
      case 'TokenTypeOrName':
        return Type.Enum(
          items.flatMap(({ code, name }) => [code, name]),
          words,
        )
      case 'Balances':
      case 'ListedDrinks':
        return Type.Object(amounts, words)
      default:
        return schema
    }
  }
}

const json = 'application/json'

const security: Record<Requirement['access'], Record<string, string[]>[]> = {
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
function isBodyOptional(name: string): boolean {
  const calls: Record<string, CallSchema> = schemas
  const body = calls[name]?.body
  return body !== undefined && Type.IsOptional(body)
}

/** A call's entry in the API document, except for its failures. */
function documentCall(call: DeclaredCall, names: SchemaNames): FastifySchema {
  const { name, access } = call
  const { summary, description, params, querystring, headers, body, sessionOptional, documented = {} }: CallSchema = schemas[name]
  const neededScope = call.access === 'studio' ? ` Needs the scope ${call.scopes.map((scope) => `\`${scope}\``).join(' or ')}.` : ''
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

/** /docs needs inline styles; it loads nothing from elsewhere. */
const docsContentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const introduction = `
Prices are in SOL, amounts in whole tokens. A token is an in-game item in this market, not a token on the chain.

Every error is \`{ error, code }\`: show \`error\` to people, branch on \`code\`. A path that is no call's answers 404 \`NOT_FOUND\`, and a
method that a path does not have 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`. Every GET but the event stream also answers HEAD.

Unknown fields are refused. Replies are not to be cached unless they carry an \`ETag\`. 503 means that the server could not do it
right now: retry.
`.trim()

const securitySchemes = {
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The session JWT: `token` in the reply to signing in. The studio takes that of its staff',
  },
  studioKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A studio key with the scope of the call, or `STUDIO_API_KEY`, which may do everything',
  },
} as const

export interface DocsOptions {
  productName: string
  version: string
  publicOrigin: string
  /** What is traded here. */
  items: readonly CatalogueItem[]
}

/** Serves the OpenAPI document at /api/openapi.json, and a page to read and try it at /docs. Must be registered before the calls. */
export async function registerApiDocs(fastify: FastifyInstance, { productName, version, publicOrigin, items }: DocsOptions): Promise<void> {
  const parts = { names: createSchemaNames(nameItems(items)), failures: new Map<string, ErrorCode[]>() }

  await fastify.register(swagger, {
    // The framework checks the routes' own schemas; the document says more.
    transform: ({ url, route }) => {
      const { call } = route.config ?? {}
      if (!call) return { url, schema: { hide: true } }
      parts.failures.set(call.name, failuresOf(call.name, call.access))
      return { url, schema: documentCall(call, parts.names) }
    },
    transformObject: (document) => ('swaggerObject' in document ? document.swaggerObject : complete(document, parts)),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: marketTitle(productName),
        version,
        description: introduction,
        contact: { name: productName, url: publicOrigin },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // In development, the document is read from the server it describes, whatever its name.
      servers: [{ url: publicOrigin.startsWith('https:') ? publicOrigin : '/', description: productName }],
      tags: sections.map(({ name, description }) => ({ name, description })),
      components: { securitySchemes },
    },
  })
  let prepared: Promise<PreparedReply> | undefined
  const sendDocument = async (request: FastifyRequest, reply: FastifyReply) => {
    prepared ??= prepareReply('application/json; charset=utf-8', JSON.stringify(fastify.swagger()))
    return (await prepared)(request, reply)
  }
  fastify.get('/api/openapi.json', { schema: { hide: true } }, sendDocument)
  // The library gives its page an address of its own to read the document at.
  fastify.addHook('onRoute', (route) => {
    if (route.url === '/docs/json') route.handler = sendDocument
  })
  await fastify.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsContentSecurityPolicy,
    theme: { title: `${marketTitle(productName)} API` },
    uiConfig: { layout: 'BaseLayout', displayOperationId: true, supportedSubmitMethods: ['get', 'post', 'put', 'patch', 'delete'] },
  })
}

type OpenApiDocument = Extract<Parameters<SwaggerTransformObject>[0], { openapiObject: unknown }>

interface DocumentParts {
  names: SchemaNames
  /** By operation. */
  failures: ReadonlyMap<string, ErrorCode[]>
}

/** Adds what the library cannot express: failures that calls share, optional bodies, and the named schemas. */
function complete({ openapiObject }: OpenApiDocument, { names, failures }: DocumentParts) {
  const responses: Record<string, JsonSchema> = {}
  const refer = (code: ErrorCode) => {
    responses[code] ??= documentFailure([code], names)
    return { $ref: `#/components/responses/${code}` }
  }
  for (const path of Object.values(openapiObject.paths ?? {})) {
    for (const operation of [path?.get, path?.post, path?.put, path?.patch, path?.delete]) {
      const { operationId = '', parameters = [], requestBody, responses: replies } = operation ?? {}
      for (const parameter of parameters) takeDescription(parameter, names)
      Object.assign(replies ?? {}, documentFailures(failures.get(operationId) ?? [], names, refer))
      if (requestBody && 'required' in requestBody) requestBody.required = !isBodyOptional(operationId)
    }
  }
  Object.assign(openapiObject.components ?? {}, { schemas: names.named, responses })
  return openapiObject
}

/** The document describes a parameter beside its schema, so one with a named schema takes over its description. */
function takeDescription(parameter: object, { named }: SchemaNames): void {
  const reference = 'schema' in parameter && typeof parameter.schema === 'object' ? parameter.schema : undefined
  if (!reference || !('$ref' in reference)) return
  const schema = named[String(reference.$ref).replace('#/components/schemas/', '')]
  if (schema?.['description']) Object.assign(parameter, { description: schema['description'] })
}
