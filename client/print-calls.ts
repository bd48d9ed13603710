import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { schemas } from '@juicebar/contract/schemas'
import { type CallSchema } from '@juicebar/contract/schemas/call'
import { webhookData } from '@juicebar/contract/schemas/webhooks'

/** The keywords of the contract's schemas that decide about a type. */
interface Schema {
  title?: string
  description?: string
  type?: string
  const?: string
  enum?: readonly string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
  patternProperties?: Record<string, Schema>
}

const HEAD = `// Written by "npm run schema" from the contract: change that instead.
/* oxlint-disable */

`

/** The calls of a game's server, their types and the messages of webhooks, as TypeScript without any other package. */
export function printCalls(): string {
  const named = new Map<string, string>()
  const calls: Record<string, CallSchema> = schemas
  const entries = Object.keys(studioEndpoints).map((name) => {
    const { summary, params, querystring, body, response = {} } = calls[name] ?? { summary: '', failures: [] }
    const [reply] = Object.values(response)
    const input = { params, query: querystring, body }
    const parts = Object.entries(input).flatMap(([part, schema]) =>
      schema ? [`${part}${isOptional(schema) ? '?' : ''}: ${typeOf(schema, named)}`] : [],
    )
    const types = `input: {${indented(`\n${parts.join('\n')}`)}\n}\nreply: ${reply ? typeOf(reply, named) : 'undefined'}`
    return indented(`/** ${summary}. */\n${name}: {\n${indented(types)}\n}`)
  })
  const messages = Object.entries(webhookData).map(
    ([type, data]) => `  | { type: '${type}'; timestamp: string; data: ${typeOf(data, named)} }`,
  )
  const endpointRows = Object.entries(studioEndpoints).map(([name, endpoint]) => `  ${name}: '${endpoint}',`)
  const interfaces = [...named].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  return [
    HEAD,
    `/** What each call takes and returns. */\nexport interface Calls {\n${entries.join('\n')}\n}\n\n`,
    `/** What a webhook is told. */\nexport type WebhookMessage =\n${messages.join('\n')}\n\n`,
    `${interfaces.join('\n\n')}\n\n`,
    `/** The method and path of each call. */\nexport const endpoints = {\n${endpointRows.join('\n')}\n} as const\n`,
  ].join('')
}

/** Nothing about it has to be given. */
function isOptional({ required, properties, anyOf }: Schema): boolean {
  if (anyOf) return anyOf.some(({ type }) => type === 'null')
  return properties !== undefined && !required?.length
}

/** The type of what a schema describes; objects with a title get a name of their own. */
function typeOf(schema: Schema, named: Map<string, string>): string {
  const { title, properties, anyOf, oneOf } = schema
  const isNamed = title !== undefined && (properties !== undefined || schema.enum !== undefined || oneOf !== undefined)
  if (!isNamed) return bareType(schema, named)
  if (!named.has(title)) {
    // Kept as known before its parts are looked at, which may name it.
    named.set(title, '')
    const text = bareType(schema, named)
    const words = schema.description === undefined ? '' : `/** ${schema.description} */\n`
    named.set(title, properties && !anyOf ? `${words}export interface ${title} ${text}` : `${words}export type ${title} = ${text}`)
  }
  return title
}

function bareType(
  { type, const: only, enum: values, anyOf, oneOf, items, properties, required, patternProperties }: Schema,
  named: Map<string, string>,
): string {
  const union = anyOf ?? oneOf
  if (union) return union.map((each) => typeOf(each, named)).join(' | ')
  if (only !== undefined) return `'${only}'`
  if (values) return values.map((value) => `'${value}'`).join(' | ')
  if (items) return items.anyOf ? `(${typeOf(items, named)})[]` : `${typeOf(items, named)}[]`
  if (patternProperties)
    return `Record<string, ${Object.values(patternProperties)
      .map((each) => typeOf(each, named))
      .join(' | ')}>`
  if (properties) return objectType(properties, required ?? [], named)
  if (type === 'integer') return 'number'
  return type ?? 'unknown'
}

function objectType(properties: Record<string, Schema>, required: readonly string[], named: Map<string, string>): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const words = schema.description === undefined || schema.properties ? '' : `/** ${schema.description} */\n`
    return `${words}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, named)}`
  })
  return `{\n${indented(fields.join('\n'))}\n}`
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}

/** Where they are kept. */
export const callsFile = fileURLToPath(new URL('src/calls.ts', import.meta.url))
if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(callsFile, printCalls())
