import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

import { endpoints } from '@juicebar/contract/endpoints'
import { base58 } from '@scure/base'
import { signBytes } from '@solana/kit'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { useTradingWorld, type Wallet } from '../purchases/trading-world.ts'
import { checkAgainstDocument, type DocumentCheck, type SeenReply } from './documented.ts'
import { createMarketApp, studioApiKey } from './market-server.ts'

const RUNS = 25

const world = useTradingWorld()

let origin: string
let document: Json
let problemsOf: DocumentCheck
/** Identifiers and addresses that exist. */
let known: string[]
let sessions: string[]
let stop: () => Promise<void>

beforeAll(async () => {
  const app = await createMarketApp(world, { TRUST_PROXY: 'loopback' })
  await app.start()
  stop = () => app.stop()
  origin = app.fastify.listeningOrigin
  const wallets = await Promise.all(Array.from({ length: 4 }, () => world.createWallet()))
  const listings = await Promise.all(wallets.map((wallet) => world.list(wallet, { amount: 2 })))
  sessions = await Promise.all(wallets.map(signIn))
  known = [...wallets.map(({ address }) => address), ...listings]
  problemsOf = await checkAgainstDocument(origin)
  document = await (await fetch(`${origin}/api/openapi.json`)).json()
})

afterAll(() => stop())

describe('a stranger gets no reply that the API document does not describe, and nothing accepted that it does not allow', () => {
  // To sign out would end the sessions that the others need.
  it.each(Object.keys(endpoints).filter((name) => !name.startsWith('logout')))('from %s', async (name) => {
    const operation = requireOperation(name)
    const credentials = operation.scheme === 'studioKey' ? [studioApiKey] : sessions
    const property = fc.asyncProperty(hostileRequests(operation, credentials), async (hostile) => {
      const reply = await send(hostile)
      expect(problemsOf(hostile.method, hostile.url, reply)).toEqual([])
      expect(reply.status).not.toBe(500)
      if (!hostile.isDocumented) expect(reply.status).toBeGreaterThanOrEqual(400)
    })
    await fc.assert(property, { numRuns: RUNS })
  })
})

/** Sends a request exactly as it is; `fetch` would correct its path and headers. */
async function send({ method, url, headers, body }: HostileRequest): Promise<SeenReply> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    request(origin, { method, path: url, headers, agent: false }, resolve).on('error', reject).end(body)
  })
  const seen = {
    status: reply.statusCode ?? 0,
    headers: new Headers(Object.entries(reply.headers).map(([name, value]) => [name, String(value)])),
  }
  if (!String(reply.headers['content-type']).startsWith('text/event-stream')) return { ...seen, text: await text(reply) }
  reply.destroy()
  return { ...seen, text: '' }
}

async function signIn({ address: walletAddress, signer }: Wallet): Promise<string> {
  const post = async (path: string, payload: object): Promise<Json> => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${origin}/api/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(payload) })
    return reply.json()
  }
  const { message } = await post('nonce', { walletAddress })
  const signature = base58.encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(message)))
  return (await post('verify', { walletAddress, signature })).token
}

/** A part of a parsed document. */
type Json = ReturnType<typeof JSON.parse>

interface HostileRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  /** Whether the document allows this body. */
  isDocumented: boolean
}

interface Operation {
  method: string
  path: string
  /** The scheme that the call needs. */
  scheme: string | undefined
  /** The document's own words. */
  details: Json
}

function requireOperation(name: string): Operation {
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const [method, details] of Object.entries<Json>(methods)) {
      const [scheme] = Object.keys(details.security.at(-1) ?? {})
      if (details.operationId === name) return { method: method.toUpperCase(), path, scheme, details }
    }
  }
  throw new Error(`the document has no ${name}`)
}

const strangeCharacters = ['', ' ', '\0', '\ud800', '😀', '\u202e', '\r\nx: y']
const strangeWords = ["' or 1=1--", '%', '..', '__proto__', 'constructor', '-1', '1e400', '1'.repeat(44), 'z'.repeat(300)]
const strangeText = fc.oneof(fc.constantFrom(...strangeCharacters, ...strangeWords), fc.string({ unit: 'binary', maxLength: 80 }))

const strangeValues = [null, true, 0, -0, -1, 0.0015, 1e21, 2 ** 53, [], {}, [[]], { length: 1 }]
const strangeValue = fc.oneof(strangeText, fc.constantFrom(...strangeValues), fc.jsonValue({ maxDepth: 3 }))

const brokenBodies = ['', '{', 'null', '[', '"', '\ufeff{}', '{"a":1,"a":2}', '{"__proto__":{"x":1}}']
const largeBodies = ['['.repeat(8_000), 'x'.repeat(17_000)]
const strangeTypes = ['text/plain', 'application/json; charset=utf-16', 'APPLICATION/JSON', 'application/json;', 'x', '']

const headerNames = ['if-none-match', 'last-event-id', 'accept-encoding', 'accept', 'range', 'origin', 'cookie', 'content-encoding']
const headerValues = ['*', 'W/"x"', '"', 'gzip;q=0', 'bytes=0-1']
const eventIds = ['0-0', '99999999999999999999-9223372036854775807', '18446744073709551616-1']
const strangeHeaders = fc.dictionary(
  fc.constantFrom(...headerNames),
  fc.oneof(fc.constantFrom(...headerValues, ...eventIds), fc.string({ maxLength: 60 })),
  { maxKeys: 3 },
)

/** Requests for an operation: some as the document has them, with identifiers that exist, and some spoiled in one place or everywhere. */
function hostileRequests(operation: Operation, credentials: string[]): fc.Arbitrary<HostileRequest> {
  const { method, path, details } = operation
  const parameters: Json[] = details.parameters ?? []
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const queryFields = inQuery.map(({ name, schema }) => [name, fc.oneof(valueOf(schema).map(textOf), strangeText)])
  const bodySchema = details.requestBody?.content['application/json'].schema
  const validator = bodySchema && Compile({ ...bodySchema, components: document.components })
  const parts = {
    place: fc.oneof(fc.constantFrom(...known), strangeText),
    query: fc.oneof(
      { weight: 4, arbitrary: fc.record<Record<string, unknown>>(Object.fromEntries(queryFields), { requiredKeys: [] }) },
      { weight: 1, arbitrary: fc.dictionary(strangeText, strangeText, { maxKeys: 2 }) },
    ),
    body: fc.oneof(
      { weight: 6, arbitrary: spoiled(bodySchema ? valueOf(bodySchema) : strangeValue).map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.constantFrom(...brokenBodies, ...largeBodies) },
    ),
    type: fc.oneof({ weight: 8, arbitrary: fc.constant('application/json') }, { weight: 1, arbitrary: fc.constantFrom(...strangeTypes) }),
    headers: strangeHeaders,
    credential: fc.constantFrom(...credentials),
    address: fc.ipV4(),
  }
  return fc.record(parts).map(({ place, query, body, type, headers, credential, address }) => {
    const search = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(textOf(value))}`)
    const sent = method === 'GET' ? undefined : body
    return {
      method,
      url: `${path.replace(/\{\w+\}/, () => encode(place) || 'x')}?${search.join('&')}`,
      headers: {
        ...headers,
        'x-forwarded-for': address,
        ...(operation.scheme && { authorization: `Bearer ${credential}` }),
        ...(sent !== undefined && { 'content-type': type, 'content-length': String(Buffer.byteLength(sent)) }),
      },
      body: sent,
      isDocumented: sent ? !validator || validator.Check(parse(sent)) : details.requestBody?.required !== true,
    }
  })
}

/** A value that a schema of the document allows. */
function valueOf(given: Json): fc.Arbitrary<unknown> {
  const schema = given.$ref ? resolve(given.$ref) : given
  if (schema.oneOf ?? schema.anyOf) return fc.oneof(...(schema.oneOf ?? schema.anyOf).map(valueOf))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const text = fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 80, 200) })
  if (schema.type === 'string') return fc.oneof(fc.constantFrom(...known), text)
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 100, 100) })
  if (schema.type === 'number') return fc.integer({ min: 1, max: 2_000 }).map((thousandths) => thousandths / 1_000)
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type !== 'object') return strangeValue
  const fields = Object.entries<Json>(schema.properties ?? {}).map(([name, field]) => [name, valueOf(field)])
  return fc.record<Record<string, unknown>>(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] })
}

function resolve(reference: string): Json {
  const [, ...steps] = reference.split('/')
  return steps.reduce((part, step) => part[step], document)
}

/** Values as they are, with one field replaced, added or left out, or something else altogether. */
function spoiled(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const changed = fc
    .tuple(values, strangeText, strangeValue, fc.constantFrom('replace', 'add', 'drop'))
    .map(([value, name, strange, how]) => {
      if (typeof value !== 'object' || value === null) return strange
      const [[field, kept] = ['x', strange], ...others] = Object.entries(value)
      if (how === 'drop') return Object.fromEntries(others)
      return how === 'add' ? { ...value, [name]: strange } : { ...value, [field]: typeof kept === 'object' ? kept : strange }
    })
  return fc.oneof({ weight: 2, arbitrary: values }, { weight: 3, arbitrary: changed }, { weight: 1, arbitrary: strangeValue })
}

/** Like the server, which ignores a byte order mark (RFC 8259, section 8.1). */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Also of half a character, as a broken client would encode it. */
function encode(text: string): string {
  return /\p{Surrogate}/u.test(text) ? '%ED%A0%80' : encodeURIComponent(text)
}
