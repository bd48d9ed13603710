import { balanceKey, type CatalogueItem } from '@juicebar/contract/catalogue'
import Type, { type TSchema } from 'typebox'

interface Titled {
  title?: string
  description?: string
}

/**
 * Returns a schema for the API document in place of one of the contract: schemas of catalogue items list the actual items. Other schemas
 * are returned unchanged.
 */
export function nameItems(items: readonly CatalogueItem[]): (schema: TSchema) => TSchema {
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
