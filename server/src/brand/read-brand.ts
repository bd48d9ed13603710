import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { readPictureFile, type Picture } from '../pictures/picture.ts'
import { ConfigError, MAX_PRODUCT_NAME_LENGTH } from '../settings/setting-reader.ts'
import { type JsonFile, ONE_LINE, readJsonFile } from '../settings/json-file.ts'
import { type Brand, houseBrand, contrastProblems, createStyleSheet, surfacesOf, themeColorsOf } from './brand.ts'
import { themes } from '../pictures/palette.ts'

const MAX_DESCRIPTION = 200
const MAX_WELCOME = 200
const MAX_FOOTER = 300

function oneLine(most: number) {
  return Type.Optional(
    Type.String({ minLength: 1, maxLength: most, pattern: ONE_LINE, description: `a text of 1 to ${most} characters on one line` }),
  )
}

const color = Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'a colour of six digits, such as "#1b3a5c"' }))

const themeColors = Type.Optional(
  Type.Object(
    { page: color, card: color, text: color, dim: color, action: color, onAction: color },
    { additionalProperties: false, description: 'an object with colours' },
  ),
)

const BrandFileSchema = Type.Object(
  {
    title: oneLine(MAX_PRODUCT_NAME_LENGTH),
    description: oneLine(MAX_DESCRIPTION),
    welcome: oneLine(MAX_WELCOME),
    footer: oneLine(MAX_FOOTER),
    logo: Type.Optional(Type.String({ minLength: 1, description: 'the name of a file beside this one, such as "logo.svg"' })),
    colors: Type.Optional(
      Type.Object(
        { light: themeColors, dark: themeColors },
        { additionalProperties: false, description: 'an object with "light" and "dark"' },
      ),
    ),
  },
  { additionalProperties: false, description: 'an object' },
)

type BrandFile = Static<typeof BrandFileSchema>

/**
 * Reads the brand of a folder: its `brand.json`, and the pictures that it names.
 *
 * @returns Juicebar's own brand without a folder, and for everything that the file leaves out
 * @throws ConfigError with a sentence for each problem, which names file, line and field
 */
export async function readBrand(folder: string | undefined): Promise<Brand> {
  if (folder === undefined) return houseBrand
  const file = await readJsonFile(join(folder, 'brand.json'), BrandFileSchema)
  const { content } = file
  const logo = await readLogo(folder, file)
  const problems = [...logo.problems, ...colorProblems(file)]
  if (problems.length > 0) throw new ConfigError(problems)

  const colors = content.colors ?? {}
  return {
    title: content.title,
    description: content.description,
    welcome: content.welcome ?? null,
    footer: content.footer ?? null,
    logo: logo.picture,
    styleSheet: createStyleSheet(colors),
    themeColors: themeColorsOf(colors),
    surfaces: surfacesOf(colors),
  }
}

async function readLogo(folder: string, { content, place }: JsonFile<BrandFile>): Promise<{ picture?: Picture; problems: string[] }> {
  const { logo } = content
  if (logo === undefined) return { problems: [] }
  const result = await readPictureFile(folder, logo)
  return typeof result === 'string'
    ? { problems: [`${place('logo')} "logo" is ${JSON.stringify(logo)}, which ${result}.`] }
    : { picture: result, problems: [] }
}

function colorProblems({ content, place }: JsonFile<BrandFile>): string[] {
  return themes.flatMap((theme) =>
    contrastProblems(theme, content.colors?.[theme] ?? {}).map(({ field, problem }) => `${place('colors', theme, field)} ${problem}`),
  )
}
