import { fileURLToPath } from 'node:url'

import { houseBrand } from '../../src/brand/brand.ts'
import { type Catalogue, createCatalogue } from '../../src/catalogue/catalogue.ts'
import { readCatalogue } from '../../src/catalogue/read-catalogue.ts'

export const house = fileURLToPath(new URL('../../catalogue/catalogue.json', import.meta.url))

/** Juicebar's three drinks. */
export const defaultCatalogue = await readCatalogue(undefined, { surfaces: houseBrand.surfaces, house })

/** A studio's catalogue of so many items: ITEM_001, called "Item 001", and so on. */
export function catalogueOf(count: number): Catalogue {
  const items = Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(3, '0')
    return { code: `ITEM_${number}`, name: `Item ${number}`, image: '/files/item.svg', color: { light: '#336699', dark: '#88bbee' } }
  })
  return createCatalogue(items, { pictures: [], isOwn: true })
}
