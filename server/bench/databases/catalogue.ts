import { fileURLToPath } from 'node:url'
import { houseBrand } from '../../src/brand/brand.ts'
import { readCatalogue } from '../../src/catalogue/read-catalogue.ts'

const house = fileURLToPath(new URL('../../catalogue/catalogue.json', import.meta.url))

/** What is traded in the markets of the bench. */
export const catalogue = await readCatalogue(process.env['CATALOGUE'], { surfaces: houseBrand.surfaces, house })

/** The codes of its items. */
export const tokens = catalogue.items.map(({ code }) => code)

/** The one that is traded where one is enough. */
export const TOKEN = tokens[0] ?? ''
