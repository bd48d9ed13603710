import { dirname } from 'node:path'
import { type CatalogueItem, balanceKey, CODE_PATTERN, MAX_CATALOGUE, MAX_CODE, MAX_ITEM_NAME } from '@juicebar/contract/catalogue'
import Type, { type Static } from 'typebox'
import { shadeAgainst, type Theme } from '../pictures/palette.ts'
import { readPictureFile, type Picture } from '../pictures/picture.ts'
import { ConfigError } from '../settings/setting-reader.ts'
import { type JsonFile, ONE_LINE, readJsonFile } from '../settings/json-file.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'

/** The surfaces behind an item's colour, by theme. */
export type Surfaces = Record<Theme, readonly string[]>

/** As the file has it: for both themes, or for each. */
export type ChosenColor = string | Record<Theme, string>

/** An item's colour for each theme, as `#rrggbb`: the chosen one, or its nearest shade that is distinct from the surfaces behind it. */
function itemColors(chosen: ChosenColor, surfaces: Surfaces): CatalogueItem['color'] {
  const { light, dark } = typeof chosen === 'string' ? { light: chosen, dark: chosen } : chosen
  return { light: shadeAgainst(light, surfaces.light), dark: shadeAgainst(dark, surfaces.dark) }
}

const closed = { additionalProperties: false }
const color = (description: string) => Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description })
const sixDigits = 'a colour of six digits, such as "#8ee34a"'

const ItemSchema = Type.Object(
  {
    code: Type.String({
      pattern: CODE_PATTERN,
      maxLength: MAX_CODE,
      description: `capital letters, digits and single underscores, beginning with a letter, at most ${MAX_CODE}, such as "APPLE_JUICE"`,
    }),
    name: Type.String({
      minLength: 1,
      maxLength: MAX_ITEM_NAME,
      pattern: ONE_LINE,
      description: `a text of 1 to ${MAX_ITEM_NAME} characters on one line`,
    }),
    image: Type.String({ minLength: 1, description: 'the name of a file beside this one, such as "apple-juice.svg"' }),
    color: Type.Union([
      color(`${sixDigits}, or an object with one for "light" and one for "dark"`),
      Type.Object({ light: color(sixDigits), dark: color(sixDigits) }, { ...closed, description: 'an object with "light" and "dark"' }),
    ]),
  },
  { ...closed, description: 'an object with "code", "name", "image" and "color"' },
)

const CatalogueFileSchema = Type.Array(ItemSchema, {
  minItems: 1,
  maxItems: MAX_CATALOGUE,
  description: `a list of 1 to ${MAX_CATALOGUE} items`,
})

type CatalogueFile = JsonFile<Static<typeof CatalogueFileSchema>>

interface CatalogueOptions {
  /** The surfaces behind the colours. */
  surfaces: Surfaces
  /** Juicebar's own catalogue. */
  house: string
}

/**
 * Reads a catalogue, with the pictures beside it.
 *
 * @param path of the JSON file; undefined for Juicebar's own
 * @throws ConfigError with a sentence for each problem, which names file, line and field
 */
export async function readCatalogue(path: string | undefined, { surfaces, house }: CatalogueOptions): Promise<Catalogue> {
  const source = path ?? house
  const file = await readJsonFile(source, CatalogueFileSchema)
  const pictures = await readPictures(dirname(source), file)
  const problems = [...repeatedTexts(file), ...pictures.problems]
  if (problems.length > 0) throw new ConfigError(problems)
  const items = file.content.map(({ code, name, color }, index): CatalogueItem => {
    return { code, name, image: pictures.found[index]?.path ?? '', color: itemColors(color, surfaces) }
  })
  return createCatalogue(items, { pictures: pictures.found, isOwn: path !== undefined })
}

/** Every code or name that a call may use for an item belongs to one item alone. */
function repeatedTexts({ content, place }: CatalogueFile): string[] {
  const owners = { code: new Map<string, number>(), name: new Map<string, number>(), key: new Map<string, number>() }
  return content.flatMap(({ code, name }, index) => {
    const problem = (field: 'code' | 'name', words: string) => [`${place(index, field)} "[${index}].${field}" is ${words}.`]
    const ownerOf = (map: Map<string, number>, text: string) => {
      const owner = map.get(text)
      if (owner === undefined) map.set(text, index)
      return owner
    }
    const [sameCode, sameKey, sameName] = [ownerOf(owners.code, code), ownerOf(owners.key, balanceKey(code)), ownerOf(owners.name, name)]
    const named = content.findIndex((other, place) => place !== index && other.code === name)
    if (sameCode !== undefined) return problem('code', `${JSON.stringify(code)}, as in "[${sameCode}]". Each item has a code of its own`)
    if (sameKey !== undefined) {
      const both = `${JSON.stringify(code)}, which is "${balanceKey(code)}" in balances, as the code of "[${sameKey}]" is`
      return problem('code', `${both}. Choose codes that differ in more than underscores`)
    }
    if (sameName !== undefined) return problem('name', `${JSON.stringify(name)}, as in "[${sameName}]". Each item has a name of its own`)
    if (named !== -1) return problem('name', `${JSON.stringify(name)}, which is the code of "[${named}]"`)
    return []
  })
}

async function readPictures(folder: string, { content, place }: CatalogueFile): Promise<{ found: Picture[]; problems: string[] }> {
  const found: Picture[] = []
  const problems: string[] = []
  for (const [index, { image }] of content.entries()) {
    const picture = await readPictureFile(folder, image)
    if (typeof picture === 'string')
      problems.push(`${place(index, 'image')} "[${index}].image" is ${JSON.stringify(image)}, which ${picture}.`)
    else found.push(picture)
  }
  return { found, problems }
}
