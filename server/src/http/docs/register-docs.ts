import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { type CatalogueItem } from '@juicebar/contract/catalogue'
import { type ErrorCode } from '@juicebar/contract/errors'
import { marketTitle } from '@juicebar/contract/market-settings'
import { sections } from '@juicebar/contract/schemas'
import { type FastifyInstance } from 'fastify'

import { nameItems } from './catalogue-schemas.ts'
import { documentFailure, documentFailures, failuresOf } from './call-failures.ts'
import { documentCall, isBodyOptional } from './document-call.ts'
import { createSchemaNames, type JsonSchema, type SchemaNames } from './schema-names.ts'

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
  let text: string | undefined
  fastify.get('/api/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(fastify.swagger())
    return reply.type('application/json; charset=utf-8').send(text)
  })
  await fastify.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsContentSecurityPolicy,
    theme: { title: `${marketTitle(productName)} API` },
    uiConfig: { layout: 'BaseLayout', supportedSubmitMethods: ['get', 'post', 'put', 'delete'] },
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
    for (const operation of [path?.get, path?.post, path?.put, path?.delete]) {
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
