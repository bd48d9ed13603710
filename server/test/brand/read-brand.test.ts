import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { houseBrand, marketName } from '../../src/brand/brand.ts'
import { readBrand } from '../../src/brand/read-brand.ts'
import { brandFolder, plainSvg, problemsOf } from './market-files.ts'

/** What is wrong with a brand. */
async function problemsIn(...brand: Parameters<typeof brandFolder>): Promise<string[]> {
  const folder = await brandFolder(...brand)
  return problemsOf(readBrand(folder), join(folder, 'brand.json'))
}

describe('a brand', () => {
  it('is Juicebar’s own without a folder', async () => {
    expect(await readBrand(undefined)).toEqual(houseBrand)
    expect(houseBrand.themeColors).toEqual({ light: '#f7f2e9', dark: '#0c0c16' })
  })

  it('is Juicebar’s own in all that its file leaves out', async () => {
    expect(await readBrand(await brandFolder({}))).toEqual(houseBrand)
    expect(await readBrand(await brandFolder({ colors: { light: {} } }))).toEqual(houseBrand)
  })

  it('has the words, the logo and the colours of its file', async () => {
    const words = { title: 'Comet Tea House', description: 'Trade “tea” & <more>.', welcome: 'Seven teas.', footer: '© 2026' }
    const colors = { dark: { page: '#081a1c', card: '#0f2629', text: '#eaf6f0', action: '#ffb45e' } }
    const brand = await readBrand(await brandFolder({ ...words, logo: 'logo.svg', colors }, { 'logo.svg': plainSvg }))
    expect(brand).toMatchObject({ ...words, themeColors: { light: '#f7f2e9', dark: '#081a1c' } })
    expect(brand.logo).toMatchObject({ type: 'image/svg+xml', content: Buffer.from(plainSvg) })
    expect(brand.logo?.path).toMatch(/^\/files\/logo\.[0-9a-f]{12}\.svg$/)
    expect(brand.styleSheet?.css).toContain('--color-action: light-dark(#1c1c2e, #ffb45e);')
  })
})

describe('a wrong brand', () => {
  it.each<[string, ...string[]]>([
    ['{\n  "title": "A",\n}', 'line 3: this is not JSON (PropertyNameExpected).'],
    ['', 'line 1: this is not JSON (ValueExpected).'],
    ['{ // no\n}', 'line 1: this is not JSON (InvalidCommentToken).'],
    ['[]', 'line 1: the file is []. It must be an object.'],
    [
      '{\n  "titel": "A"\n}',
      'line 2: "titel" is not known here. There is "title", "description", "welcome", "footer", "logo" and "colors".',
    ],
    ['{\n  "title": "A",\n  "title": "B"\n}', 'line 3: "title" appears twice.'],
    ['{\n  "title": ""\n}', 'line 2: "title" is "". It must be a text of 1 to 40 characters on one line.'],
    ['{\n  "title": " A"\n}', 'line 2: "title" is " A". It must be a text of 1 to 40 characters on one line.'],
    ['{\n  "title": "A\\nNonce: 1"\n}', 'line 2: "title" is "A\\nNonce: 1". It must be a text of 1 to 40 characters on one line.'],
    ['{\n  "welcome": 5\n}', 'line 2: "welcome" is 5. It must be a text of 1 to 200 characters on one line.'],
    ['{\n  "colors": "red"\n}', 'line 2: "colors" is "red". It must be an object with "light" and "dark".'],
    [
      '{\n  "colors": {\n    "light": { "page": "red" },\n    "night": {}\n  }\n}',
      'line 4: "colors.night" is not known here. There is "light" and "dark".',
      'line 3: "colors.light.page" is "red". It must be a colour of six digits, such as "#1b3a5c".',
    ],
    [
      '{\n  "colors": { "light": {\n    "accent": "#112233" } }\n}',
      'line 3: "colors.light.accent" is not known here. There is "page", "card", "text", "dim", "action" and "onAction".',
    ],
  ])('%j is refused with file, line and field', async (text, ...problems) => {
    expect((await problemsIn(text)).toSorted()).toEqual(problems.map((problem) => `brand.json, ${problem}`).toSorted())
  })

  it.each([
    ['gone.svg', {}, 'does not exist.'],
    ['../logo.svg', {}, 'is no file name of letters, digits, - and _ that ends in .svg or .webp.'],
    ['logo.png', {}, 'is no file name of letters, digits, - and _ that ends in .svg or .webp.'],
    ['logo.webp', { 'logo.webp': 'GIF89a' }, 'is no WebP picture.'],
    ['logo.svg', { 'logo.svg': `${plainSvg.slice(0, -6)}<script/></svg>` }, /^has <script>, .* \(line 1\)\.$/],
    ['logo.svg', { 'logo.svg': ' '.repeat(100_001) }, 'has 100,001 bytes; a picture may have 100,000.'],
  ])('with the logo %s is refused', async (logo, files, problem) => {
    const beginning = `brand.json, line 3: "logo" is "${logo}", which `
    const [found = '', ...more] = await problemsIn({ title: 'A', logo }, files)
    expect(found).toContain(beginning)
    expect(found.replace(beginning, '')).toMatch(problem)
    expect(more).toEqual([])
  })

  it('is refused if its file is missing or not in UTF-8', async () => {
    await expect(readBrand('/nowhere')).rejects.toThrow('/nowhere/brand.json does not exist.')
    await expect(readBrand(await brandFolder('', { 'brand.json': Buffer.from([0x7b, 0xff, 0x7d]) }))).rejects.toThrow(
      'brand.json is not in UTF-8.',
    )
  })

  it('is refused with each pair of colours that cannot be told apart', async () => {
    const brand =
      '{\n  "colors": {\n    "light": {\n      "page": "#ffffff",\n      "text": "#888888",\n      "action": "#ffd400"\n    }\n  }\n}'
    expect(await problemsIn(brand)).toEqual([
      'brand.json, line 5: "colors.light.text" (#888888) on "colors.light.page" (#ffffff) has a contrast of 3.54 to 1. It must be at least 4.5.',
      'brand.json, line 6: "colors.light.action" (#ffd400) on "colors.light.page" (#ffffff) has a contrast of 1.43 to 1. It must be at least 3.',
    ])
  })

  it('is refused with colours of the dark theme that cannot be told apart, too', async () => {
    expect(await problemsIn({ colors: { dark: { page: '#000000', text: '#555555', action: '#222222' } } })).toEqual([
      expect.stringContaining('"colors.dark.text" (#555555) on "colors.dark.page" (#000000) has a contrast of 2.81 to 1.'),
      expect.stringContaining('"colors.dark.action" (#222222) on "colors.dark.page" (#000000) has a contrast of 1.31 to 1.'),
    ])
  })
})

it.each([
  ['Juicebar', undefined, 'Juicebar'],
  ['Moonbase', undefined, 'Moonbase'],
  ['Juicebar', 'Comet Tea House', 'Comet Tea House'],
  ['Comet Tea House', 'Comet Tea House', 'Comet Tea House'],
])('with PRODUCT_NAME %s and the title %s a market is called %s', (productName, title, name) => {
  expect(marketName(productName, { ...houseBrand, title })).toBe(name)
})

it('a market of two names is refused', () => {
  expect(() => marketName('Moonbase', { ...houseBrand, title: 'Comet Tea House' })).toThrow(
    'PRODUCT_NAME is "Moonbase", but the title in the brand.json of BRAND_DIR is "Comet Tea House". A market has one name: leave PRODUCT_NAME out.',
  )
})
