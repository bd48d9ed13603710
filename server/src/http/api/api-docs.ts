import swagger, { type SwaggerTransform, type SwaggerTransformObject } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { type EndpointName, endpoints } from '@juicebar/contract/endpoints'
import { ErrorReply } from '@juicebar/contract/entities'
import { JsonRpcReply, JsonRpcRequest, schemas } from '@juicebar/contract/schemas'
import { type FastifyInstance, type FastifySchema } from 'fastify'
import Type from 'typebox'

/** Who may call: anyone, a signed-in player, or the studio. */
export type Access = 'open' | 'player' | 'studio'

type Tag = 'Status' | 'Signing in' | 'Inventory' | 'Market' | 'Buying' | 'Cases' | 'Studio' | 'Chain'

const summaries: Record<EndpointName, [Tag, string]> = {
  health: ['Status', 'Check whether the server, its database and the chain are up'],
  config: ['Status', 'Read the settings that a client needs: network, commitment, hold time, version'],
  requestNonce: ['Signing in', 'Request a nonce and the message to sign'],
  verifySignature: ['Signing in', 'Submit the signature and open a session'],
  me: ['Signing in', 'Read who is signed in'],
  logout: ['Signing in', 'End the session on every server'],
  balance: ['Inventory', 'Read your own token balances'],
  listings: ['Market', 'List active listings, with search, filters and sort orders'],
  listing: ['Market', 'Read one listing'],
  createListing: ['Market', 'Put tokens up for sale'],
  removeListing: ['Market', 'Remove one of your listings'],
  myListings: ['Market', 'List your own listings'],
  events: ['Market', 'Stream server-sent events; resume with Last-Event-ID'],
  buy: ['Buying', 'Hold a listing, and learn whom to pay how much'],
  submitPayment: ['Buying', 'Submit the signed payment for the server to send'],
  cancelPurchase: ['Buying', 'Cancel a hold that you will not pay'],
  confirmPurchase: ['Buying', 'Confirm a payment by its signature; safe to repeat at any time'],
  myPurchases: ['Buying', 'List your purchases and sales'],
  cases: ['Cases', 'List your cases: payments that did not end in a delivery'],
  prepareRefund: ['Cases', 'Prepare the refund of a case, as an unsigned transaction'],
  submitRefund: ['Cases', 'Submit the signed refund for the server to send'],
  studioCredit: ['Studio', 'Credit tokens to a wallet'],
  studioDebit: ['Studio', 'Debit tokens from a wallet'],
  studioCases: ['Studio', 'List all cases'],
  closeCase: ['Studio', 'Close a case with a note for buyer and seller'],
  audit: ['Studio', 'Audit the market: check that all tokens and payments add up'],
  rpc: ['Chain', 'Relay a Solana JSON-RPC request; only the methods a web app needs'],
}

const security: Record<Access, Record<string, string[]>[]> = { open: [], player: [{ session: [] }], studio: [{ studioKey: [] }] }

/** Replies without a schema in the contract. */
const otherReplies: Partial<Record<EndpointName, object>> = {
  events: { 200: { description: 'Server-sent events', content: { 'text/event-stream': { schema: Type.String() } } } },
  rpc: { 200: JsonRpcReply },
}

/** What the API document says about a call besides its schemas: its summary, who may call, and the error replies. */
export function documentation(name: EndpointName, access: Access): FastifySchema {
  const [tag, summary] = summaries[name]
  const schema = schemas[name]
  return {
    operationId: name,
    tags: [tag],
    summary,
    security: security[access],
    response: { ...('response' in schema ? schema.response : otherReplies[name]), '4xx': ErrorReply, '5xx': ErrorReply },
  }
}

/** The relay validates its requests itself, so this schema only describes them. */
const describeRelay: SwaggerTransform = ({ schema, url }) => ({
  schema: endpoints.rpc.endsWith(` ${url}`) ? { ...schema, body: JsonRpcRequest } : schema,
  url,
})

/** The library marks every body as required. */
const markOptionalBodies: SwaggerTransformObject = (document) => {
  if ('swaggerObject' in document) return document.swaggerObject
  for (const path of Object.values(document.openapiObject.paths ?? {})) {
    const { operationId, requestBody } = path?.post ?? {}
    if (requestBody && 'required' in requestBody && operationId !== undefined) requestBody.required = !optionalBodies.has(operationId)
  }
  return document.openapiObject
}

const optionalBodies: ReadonlySet<string> = new Set(
  Object.entries(schemas).flatMap(([name, schema]) => ('body' in schema && Type.IsOptional(schema.body) ? [name] : [])),
)

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

/** Serves the OpenAPI document at /api/openapi.json, and to read and try it at /docs. Must come before the calls. */
export async function registerApiDocs(fastify: FastifyInstance, options: { productName: string; version: string }): Promise<void> {
  await fastify.register(swagger, {
    transform: describeRelay,
    transformObject: markOptionalBodies,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: `${options.productName} Marketplace`,
        version: options.version,
        description:
          'Prices are in SOL, amounts in whole tokens. A token is an in-game item in this market, not a token on the chain. Every error is `{ error, code }`.',
      },
      components: {
        securitySchemes: {
          session: { type: 'http', scheme: 'bearer', description: 'The session JWT: `token` in the reply to signing in' },
          studioKey: { type: 'http', scheme: 'bearer', description: 'The studio key, `STUDIO_API_KEY`' },
        },
      },
    },
  })
  fastify.get('/api/openapi.json', { schema: { hide: true } }, async () => fastify.swagger())
  await fastify.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsContentSecurityPolicy,
    theme: { title: `${options.productName} Marketplace API` },
    uiConfig: { layout: 'BaseLayout', supportedSubmitMethods: ['get', 'post', 'delete'] },
  })
}
