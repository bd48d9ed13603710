import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { balanceKey, CODE_PATTERN, MAX_CODE } from '@juicebar/contract/catalogue'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { houseBrand } from '../../src/brand/brand.ts'
import { contrast, CONTROL_CONTRAST, themes } from '../../src/pictures/palette.ts'
import { balancesOf, drinkPage } from '../../src/catalogue/catalogue.ts'
import { readCatalogue } from '../../src/catalogue/read-catalogue.ts'
import { ConfigError } from '../../src/settings/setting-reader.ts'
import { catalogueFile, item, plainSvg, problemsOf } from '../brand/market-files.ts'
import { defaultCatalogue, house } from '../support/catalogue.ts'

const readFrom = (path: string) => readCatalogue(path, { surfaces: houseBrand.surfaces, house })
const read = async (...catalogue: Parameters<typeof catalogueFile>) => readFrom(await catalogueFile(...catalogue))

/** What is wrong with a catalogue. */
async function problemsIn(...catalogue: Parameters<typeof catalogueFile>): Promise<string[]> {
  const path = await catalogueFile(...catalogue)
  return problemsOf(readFrom(path), path)
}

describe('a catalogue', () => {
  it('is the three drinks of the specification unless a file is named, with the pictures that they always had', async () => {
    expect(defaultCatalogue.items.map(({ code, name }) => [code, name, balanceKey(code)])).toEqual([
      ['APPLE_JUICE', 'Apple Juice', 'appleJuice'],
      ['ORANGE_JUICE', 'Orange Juice', 'orangeJuice'],
      ['GRAPE_SODA', 'Grape Soda', 'grapeSoda'],
    ])
    expect(defaultCatalogue.isOwn).toBe(false)
    const apple = defaultCatalogue.pictures.find(({ path }) => path === defaultCatalogue.item('APPLE_JUICE')?.image)
    expect(apple).toEqual({
      path: expect.stringMatching(/^\/files\/apple-juice\.[0-9a-f]{12}\.svg$/),
      type: 'image/svg+xml',
      content: await readFile(join(dirname(house), 'apple-juice.svg')),
    })
  })

  it.each(defaultCatalogue.items)('finds $code by its code and by its name, exactly or not at all', ({ code, name }) => {
    expect([defaultCatalogue.find(code), defaultCatalogue.find(name)]).toEqual([code, code])
    for (const text of [name.toLowerCase(), code.toLowerCase(), '', 'toString']) expect(defaultCatalogue.find(text)).toBeUndefined()
  })

  it('has the items of its file in their order, each with the address of its picture', async () => {
    const catalogue = await read([item('TEA'), item('MOON_CAKE_2', { name: 'Moon Cake “2”', image: 'cake.svg', color: '#112233' })], {
      'cake.svg': plainSvg.replace('r="3"', 'r="2"'),
    })
    expect(catalogue.isOwn).toBe(true)
    expect(catalogue.items.map(({ code, name }) => [code, name])).toEqual([
      ['TEA', 'The TEA'],
      ['MOON_CAKE_2', 'Moon Cake “2”'],
    ])
    expect(catalogue.items.map(({ image }) => image)).toEqual(catalogue.pictures.map(({ path }) => path))
    expect(catalogue.find('MOON_CAKE_2')).toBe('MOON_CAKE_2')
    expect(catalogue.find('Moon Cake “2”')).toBe('MOON_CAKE_2')
    expect(catalogue.find('moon cake “2”')).toBeUndefined()
    expect(catalogue.find('APPLE_JUICE')).toBeUndefined()
    expect(catalogue.nameOf('TEA')).toBe('The TEA')
  })

  it('knows the names of items that have left it, once it is told', async () => {
    const catalogue = await read([item('TEA')])
    expect(catalogue.nameOf('MILK')).toBe('MILK')
    catalogue.addFormer([
      { code: 'MILK', name: 'Warm Milk' },
      { code: 'TEA', name: 'Old Tea' },
    ])
    expect([catalogue.nameOf('MILK'), catalogue.nameOf('TEA')]).toEqual(['Warm Milk', 'The TEA'])
    expect([catalogue.find('MILK'), catalogue.find('Warm Milk'), catalogue.item('MILK')]).toEqual([undefined, undefined, undefined])
  })

  it('may have 200 items, and no more', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => item(`ITEM_${index}`))
    expect((await read(many(200))).items).toHaveLength(200)
    expect(await problemsIn(many(201))).toEqual([
      expect.stringMatching(/^catalogue\.json, line 1: the file is .*It must be a list of 1 to 200 items\.$/),
    ])
  })
})

const tea = '{ "code": "TEA", "name": "Tea", "image": "drink.svg", "color": "#8ee34a" }'
const code = 'It must be capital letters, digits and single underscores, beginning with a letter, at most 40, such as "APPLE_JUICE".'
const name = 'It must be a text of 1 to 40 characters on one line.'
const long = 'A'.repeat(41)

describe('a wrong catalogue', () => {
  it.each<[string, string]>([
    ['', 'line 1: this is not JSON (ValueExpected).'],
    [`[\n  ${tea},\n]`, 'line 3: this is not JSON (ValueExpected).'],
    ['[]', 'line 1: the file is []. It must be a list of 1 to 200 items.'],
    ['{}', 'line 1: the file is {}. It must be a list of 1 to 200 items.'],
    ['[\n  "TEA"\n]', 'line 2: "[0]" is "TEA". It must be an object with "code", "name", "image" and "color".'],
    [`[\n  { "code": "TEA", "name": "Tea" }\n]`, 'line 2: "[0]" lacks "image" and "color".'],
    [
      `[\n  ${tea},\n  { "code": "ALE", "name": "Ale", "image": "drink.svg",\n    "colour": "#8ee34a", "color": "#8ee34a" }\n]`,
      'line 4: "[1].colour" is not known here. There is "code", "name", "image" and "color".',
    ],
    [`[\n  { "code": "TEA",\n    "code": "ALE" }\n]`, 'line 3: "[0].code" appears twice.'],
    ...['tea', '1TEA', 'TEA_', '_TEA', 'GREEN__TEA', 'GREEN TEA', 'TÉ', 'TEA\\n', '', long].map((wrong): [string, string] => [
      `[\n  ${tea.replace('TEA', wrong)}\n]`,
      `line 2: "[0].code" is "${wrong}". ${code}`,
    ]),
    ...['', ' Tea', 'Tea ', 'Green\\nTea', long].map((wrong): [string, string] => [
      `[\n  ${tea.replace('Tea', wrong)}\n]`,
      `line 2: "[0].name" is "${wrong}". ${name}`,
    ]),
    ...['red', '#8ee34', '#8ee34a80'].map((wrong): [string, string] => [
      `[\n  ${tea.replace('#8ee34a', wrong)}\n]`,
      `line 2: "[0].color" is "${wrong}". It must be a colour of six digits, such as "#8ee34a", or an object with one for "light" and one for "dark".`,
    ]),
    [`[\n  ${tea},\n  ${tea}\n]`, 'line 3: "[1].code" is "TEA", as in "[0]". Each item has a code of its own.'],
    [`[\n  ${tea},\n  ${tea.replace('TEA', 'ALE')}\n]`, 'line 3: "[1].name" is "Tea", as in "[0]". Each item has a name of its own.'],
    [
      `[\n  ${tea.replace('TEA', 'TEA_2')},\n  ${tea.replace('TEA', 'TEA2').replace('Tea', 'Other Tea')}\n]`,
      'line 3: "[1].code" is "TEA2", which is "tea2" in balances, as the code of "[0]" is. Choose codes that differ in more than underscores.',
    ],
    [`[\n  ${tea},\n  ${tea.replace('TEA', 'ALE').replace('Tea', 'TEA')}\n]`, 'line 3: "[1].name" is "TEA", which is the code of "[0]".'],
  ])('%j is refused with file, line and field', async (text, problem) => {
    expect(await problemsIn(text)).toEqual([`catalogue.json, ${problem}`])
  })

  const svg = (inside: string) => plainSvg.replace('<circle', `${inside}<circle`)
  const big = svg(`<!--${'x'.repeat(100_000)}-->`)
  it.each([
    ['gone.svg', {}, 'does not exist.'],
    ['../drink.svg', {}, 'is no file name of letters, digits, - and _ that ends in .svg or .webp.'],
    ['drink.png', {}, 'is no file name of letters, digits, - and _ that ends in .svg or .webp.'],
    ['big.svg', { 'big.svg': big }, 'has 100,100 bytes; a picture may have 100,000.'],
    ['bad.svg', { 'bad.svg': svg('<script>alert(1)</script>') }, /^has <script>/],
    ['bad.webp', { 'bad.webp': 'RIFF' }, 'is no WebP picture.'],
  ])('with the picture %s (%#) is refused where its file is named', async (image, files, why) => {
    const [problem = '', ...others] = await problemsIn(
      `[\n  ${tea},\n  ${tea.replace('TEA', 'ALE').replace('Tea', 'Ale').replace('drink.svg', image)}\n]`,
      files,
    )
    const start = `catalogue.json, line 3: "[1].image" is ${JSON.stringify(image)}, which `
    expect(problem.slice(0, start.length)).toBe(start)
    expect(problem.slice(start.length)).toMatch(why)
    expect(others).toEqual([])
  })

  it('whose file is missing is refused', async () => {
    await expect(readFrom('/nowhere/catalogue.json')).rejects.toThrow('/nowhere/catalogue.json does not exist.')
  })
})

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const anyCode = fc.stringMatching(new RegExp(CODE_PATTERN)).filter((text) => text.length <= MAX_CODE)
const anyName = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' }).filter((text) => text.trim() === text)
const anyItem = fc.record({
  code: anyCode,
  name: anyName,
  image: fc.constant('drink.svg'),
  color: fc.oneof(color, fc.record({ light: color, dark: color })),
})
const items = fc
  .uniqueArray(anyItem, { minLength: 1, maxLength: 12, selector: ({ code }) => balanceKey(code) })
  .map((all) => all.map((each, index) => ({ ...each, name: `${each.name.slice(0, 35)} #${index}` })))

it('every catalogue that keeps to the rules is read as it is written, and its colours can be told apart in both themes', async () => {
  const path = await catalogueFile([])
  await fc.assert(
    fc.asyncProperty(items, async (written) => {
      await writeFile(path, JSON.stringify(written))
      const { items: found, find } = await readFrom(path)
      expect(found.map(({ code, name }) => [code, name])).toEqual(written.map(({ code, name }) => [code, name]))
      for (const { code, name } of written) expect([find(code), find(name)]).toEqual([code, code])
      for (const { color } of found)
        for (const theme of themes)
          for (const surface of houseBrand.surfaces[theme]) expect(contrast(color[theme], surface)).toBeGreaterThanOrEqual(CONTROL_CONTRAST)
    }),
    { numRuns: 60 },
  )
})

it('whatever else a file may be, it is refused in sentences that begin with its path and mostly name a line, and nothing else is thrown', async () => {
  const broken = fc.oneof(
    fc.json(),
    fc.string(),
    // A right catalogue, with one character gone or another one in its place.
    fc.tuple(items, fc.nat(), fc.string({ maxLength: 1 })).map(([all, at, put]) => {
      const text = JSON.stringify(all, undefined, 1)
      const place = at % text.length
      return text.slice(0, place) + put + text.slice(place + 1)
    }),
  )
  const path = await catalogueFile([])
  await fc.assert(
    fc.asyncProperty(broken, async (text) => {
      await writeFile(path, text)
      const refusal: unknown = await readFrom(path).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (refusal === undefined) return
      expect(refusal).toBeInstanceOf(ConfigError)
      const { problems } = refusal as ConfigError
      expect(problems.length).toBeGreaterThan(0)
      for (const problem of problems) expect(problem.startsWith(`${path}, line `) || problem === `${path} is empty.`).toBe(true)
    }),
    { numRuns: 200 },
  )
})

it('a balance has a field for every item, and none of another but what there is some of', async () => {
  await fc.assert(
    fc.asyncProperty(items, fc.array(fc.tuple(anyCode, fc.nat())), async (written, foreign) => {
      const owned = [
        ...written.map(({ code }, index) => ({ tokenType: code, amount: index })),
        ...foreign.map(([tokenType, amount]) => ({ tokenType, amount })),
      ]
      const balances = balancesOf({ items: written.map((each) => ({ ...each, color: { light: '', dark: '' } })) }, owned)
      const keys = new Set(written.map(({ code }) => balanceKey(code)))
      expect(Object.keys(balances).slice(0, keys.size)).toEqual([...keys])
      for (const [key, amount] of Object.entries(balances)) if (!keys.has(key)) expect(amount).toBeGreaterThan(0)
    }),
  )
})

it('each drink has a page of its own, which link previews tell apart', () => {
  const pages = defaultCatalogue.items.map(({ code }) => drinkPage(defaultCatalogue, code))
  expect(pages.map((page) => page?.title)).toEqual(['Apple Juice', 'Orange Juice', 'Grape Soda'])
  expect(pages.map((page) => page?.picture)).toEqual(defaultCatalogue.items.map(({ image }) => image))
  for (const page of pages) expect(page?.description).toContain(`What ${page?.title} costs in SOL`)
})

it.each(['APPLE_JUIC', 'apple_juice', 'Apple Juice', ''])('there is no page of %j', (code) => {
  expect(drinkPage(defaultCatalogue, code)).toBeUndefined()
})
