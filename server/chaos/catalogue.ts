import { fileURLToPath } from 'node:url'
import { houseBrand } from '../src/brand/brand.ts'
import { readCatalogue } from '../src/catalogue/read-catalogue.ts'

const house = fileURLToPath(new URL('../catalogue/catalogue.json', import.meta.url))

/** The file of the items that are traded in a run, which its servers read as well; undefined for Juicebar's own. */
export const catalogueFile = process.env['CATALOGUE']

const { items } = await readCatalogue(catalogueFile, { surfaces: houseBrand.surfaces, house })

/** The codes of these items. */
export const tokens = items.map(({ code }) => code)
