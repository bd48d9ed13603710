import { fileURLToPath } from 'node:url'
import { houseBrand } from '../../src/brand/brand.ts'
import { type Catalogue, createCatalogue } from '../../src/catalogue/catalogue.ts'
import { readCatalogue } from '../../src/catalogue/read-catalogue.ts'

export const house = fileURLToPath(new URL('../../catalogue/catalogue.json', import.meta.url))

/** Juicebar's three drinks. */
export const defaultCatalogue = await readCatalogue(undefined, { surfaces: houseBrand.surfaces, house })

/** A studio's catalogue: the names of its items by their codes. */
export function catalogueNamed(names: Record<string, string>): Catalogue {
  const [image, color] = ['/files/item.svg', { light: '#336699', dark: '#88bbee' }]
  const items = Object.entries(names).map(([code, name]) => ({ code, name, image, color }))
  return createCatalogue(items, { pictures: [], isOwn: true })
}

/** A studio's catalogue of so many items: ITEM_001, called "Item 001", and so on. */
export function catalogueOf(count: number): Catalogue {
  const numbers = Array.from({ length: count }, (_, index) => String(index + 1).padStart(3, '0'))
  return catalogueNamed(Object.fromEntries(numbers.map((number) => [`ITEM_${number}`, `Item ${number}`])))
}
