import { type Catalogue } from './catalogue.ts'

/** The metadata in the head of a drink's page, for browsers and link previews. */
export interface DrinkPage {
  title: string
  description: string
  /** The path of the drink's picture. */
  picture: string
}

/** Describes a drink in the words of a link preview, without its price, since a preview is kept for weeks; undefined if there is no such drink. */
export function drinkPage({ items }: Pick<Catalogue, 'items'>, code: string): DrinkPage | undefined {
  const item = items.find((item) => item.code === code)
  if (item === undefined) return undefined
  return {
    title: item.name,
    description: `What ${item.name} costs in SOL, now and over time, how much of it is for sale, and its last trades.`,
    picture: item.image,
  }
}
