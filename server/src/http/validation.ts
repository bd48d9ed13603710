import { type ErrorCode, Failure } from '@juicebar/contract/errors'
import { type Keywords } from '@juicebar/contract/schemas/call'
import { type FastifyRequest, type FastifySchemaCompiler, type FastifySchemaValidationError } from 'fastify'
import { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

const MAX_QUOTED_NAME = 40
const integer = /^-?\d{1,15}$/

/** Fields with their own error code, whether a schema or a rule rejects them. */
const fieldFailures: Record<string, ErrorCode> = {
  walletAddress: 'WALLET_ADDRESS_INVALID',
  wallet: 'WALLET_ADDRESS_INVALID',
  excludeSeller: 'WALLET_ADDRESS_INVALID',
  price: 'PRICE_INVALID',
  amount: 'AMOUNT_INVALID',
  cursor: 'CURSOR_INVALID',
}

/**
 * Validates requests strictly against the contract's schemas: nothing is converted, dropped or filled in, except that integers in query
 * strings are parsed. A schema is compiled by the first request that needs it, which keeps the start short.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: ReturnType<typeof Compile> | undefined
  return (input: unknown) => {
    const validator = (compiled ??= Compile(schema))
    const value = httpPart === 'querystring' ? withNumbers(schema, input) : input
    if (validator.Check(value)) return { value }
    return { error: toFailure(schema, value, validator.Errors(value)) }
  }
}

/**
 * Returns a check of one item of a list whose items are refused individually.
 *
 * The check returns the item as the schema has it, or throws what a call with only this body would answer.
 */
export function createItemCheck<Schema extends TSchema>(schema: Schema): (item: unknown) => Static<Schema> {
  let compiled: ReturnType<typeof Compile> | undefined
  return (item) => {
    const validator = (compiled ??= Compile(schema))
    if (!validator.Check(item)) throw toFailure(schema, item, validator.Errors(item))
    const unstorable = unstorableText(Object.entries(item ?? {}))
    if (unstorable) throw unstorable
    // Just checked.
    return item as Static<Schema>
  }
}

/** Half of a character beyond the Basic Multilingual Plane: JSON can escape one alone, UTF-8 cannot encode it. */
const loneSurrogate = /\p{Surrogate}/u

/**
 * PostgreSQL cannot store NUL characters, and would store a replacement for half a character, so that two different idempotency keys would
 * become one. All schemas are flat, so this checks one level. Returns undefined if all texts can be stored as they are.
 */
export function unstorableTextFailure(request: FastifyRequest): Failure | undefined {
  for (const part of [request.params, request.query, request.body]) {
    const failure = unstorableText(Object.entries(part ?? {}))
    if (failure) return failure
  }
  return undefined
}

function unstorableText(fields: readonly [string, unknown][]): Failure | undefined {
  for (const [name, value] of fields) {
    if (typeof value !== 'string') continue
    if (value.includes('\0')) return new Failure('BAD_REQUEST', { detail: `${quote(name)} must not contain NUL characters.` })
    if (loneSurrogate.test(value)) return new Failure('BAD_REQUEST', { detail: `${quote(name)} must be well-formed Unicode.` })
  }
  return undefined
}

function withNumbers(schema: TSchema, query: unknown): unknown {
  if (!isRecord(query)) return query
  const entries = Object.entries(query).map(([name, value]) => {
    const numeric = propertyOf(schema, name)?.['type'] === 'integer' && typeof value === 'string' && integer.test(value)
    return [name, numeric ? Number(value) : value]
  })
  return Object.fromEntries(entries)
}

function toFailure(schema: TSchema, value: unknown, errors: FastifySchemaValidationError[]): Failure {
  if (value === null || isIncomplete(schema, value)) return new Failure('FIELDS_MISSING')
  const unknown = errors.find((error) => error.keyword === 'additionalProperties')?.params['additionalProperties']
  if (Array.isArray(unknown)) return new Failure('BAD_REQUEST', { detail: `There is no field called ${quote(String(unknown[0]))} here.` })

  const deepest = errors.toSorted((a, b) => b.instancePath.length - a.instancePath.length)[0]
  const [name, ...inside] = deepest?.instancePath.split('/').slice(1) ?? []
  if (!deepest || !name) return new Failure('BAD_REQUEST', { detail: 'The request must be a JSON object.' })
  const code = fieldFailures[inside.at(-1) ?? name]
  return code
    ? new Failure(code, listingIn(value, name, inside))
    : new Failure('BAD_REQUEST', { detail: `${name} must be ${requirement(schema, name, deepest)}.` })
}

/** The listing that a refused field of a list concerns. */
function listingIn(value: unknown, name: string, [index]: readonly string[]): { listingId?: string } {
  const list = isRecord(value) ? value[name] : undefined
  const item: unknown = Array.isArray(list) ? list[Number(index)] : undefined
  return isRecord(item) && typeof item['listingId'] === 'string' ? { listingId: item['listingId'] } : {}
}

/** An empty required field counts as missing, because forms send it so. */
function isIncomplete(schema: TSchema, value: unknown): boolean {
  if (!isRecord(value) || !('required' in schema) || !Array.isArray(schema.required)) return false
  return schema.required.some((name) => isEmpty(value[String(name)]))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function requirement(schema: TSchema, name: string, error: FastifySchemaValidationError): string {
  const mustBe = propertyOf(schema, name)?.['mustBe' satisfies keyof Keywords]
  if (typeof mustBe === 'string') return mustBe
  const { allowedValues, limit, type } = error.params
  if (Array.isArray(allowedValues)) return `one of ${allowedValues.join(', ')}`
  if (error.keyword === 'maxLength') return `at most ${String(limit)} characters long`
  if (error.keyword === 'minLength') return `at least ${String(limit)} characters long`
  return type === 'integer' ? 'a whole number' : type === 'number' ? 'a number' : 'a string'
}

function propertyOf(schema: TSchema, name: string): Record<string, unknown> | undefined {
  const properties = 'properties' in schema ? schema.properties : undefined
  const property = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isRecord(property) ? property : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, MAX_QUOTED_NAME))
}
