import { type Keywords } from '@juicebar/contract/schemas/call'
import { type TSchema } from 'typebox'

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
