import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { balanceKey } from '@juicebar/contract/catalogue'
import { describe, expect, it } from 'vitest'

import { houseBrand } from '../../src/brand/brand.ts'
import { readCatalogue } from '../../src/catalogue/read-catalogue.ts'
import { ConfigError } from '../../src/settings/config-error.ts'
import { plainSvg } from '../brand/brand-folder.ts'
import { defaultCatalogue, house } from '../support/catalogue.ts'
import { catalogueFile, item } from './catalogue-folder.ts'

const options = { surfaces: houseBrand.surfaces, house }
const read = async (catalogue: string | readonly object[], files?: Record<string, string | Buffer>) =>
  readCatalogue(await catalogueFile(catalogue, files), options)

/** What is wrong with a catalogue, without the path of its file. */
async function problemsOf(catalogue: string | readonly object[], files?: Record<string, string | Buffer>): Promise<string[]> {
  const path = await catalogueFile(catalogue, files)
  return readCatalogue(path, options).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof ConfigError)) throw error
      return error.problems.map((problem) => problem.replaceAll(path, 'catalogue.json'))
    },
  )
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
    expect(await problemsOf(many(201))).toEqual([
      expect.stringMatching(/^catalogue\.json, line 1: the file is .*It must be a list of 1 to 200 items\.$/),
    ])
  })
})

const tea = '{ "code": "TEA", "name": "Tea", "image": "drink.svg", "color": "#8ee34a" }'
const code = 'It must be capital letters, digits and single underscores, beginning with a letter, at most 40, such as "APPLE_JUICE".'
const name = 'It must be a text of 1 to 40 characters on one line.'
const long = 'A'.repeat(41)

describe('a wrong catalogue', () => {
  it.each([
    ['', ['catalogue.json, line 1: this is not JSON (ValueExpected).']],
    [`[\n  ${tea},\n]`, ['catalogue.json, line 3: this is not JSON (ValueExpected).']],
    ['[]', ['catalogue.json, line 1: the file is []. It must be a list of 1 to 200 items.']],
    ['{}', ['catalogue.json, line 1: the file is {}. It must be a list of 1 to 200 items.']],
    ['[\n  "TEA"\n]', ['catalogue.json, line 2: "[0]" is "TEA". It must be an object with "code", "name", "image" and "color".']],
    [`[\n  { "code": "TEA", "name": "Tea" }\n]`, ['catalogue.json, line 2: "[0]" lacks "image" and "color".']],
    [
      `[\n  ${tea},\n  { "code": "ALE", "name": "Ale", "image": "drink.svg",\n    "colour": "#8ee34a", "color": "#8ee34a" }\n]`,
      ['catalogue.json, line 4: "[1].colour" is not known here. There is "code", "name", "image" and "color".'],
    ],
    [`[\n  { "code": "TEA",\n    "code": "ALE" }\n]`, ['catalogue.json, line 3: "[0].code" appears twice.']],
    ...['tea', '1TEA', 'TEA_', '_TEA', 'GREEN__TEA', 'GREEN TEA', 'TÉ', 'TEA\\n', '', long].map((wrong) => [
      `[\n  ${tea.replace('TEA', wrong)}\n]`,
      [`catalogue.json, line 2: "[0].code" is "${wrong}". ${code}`],
    ]),
    ...['', ' Tea', 'Tea ', 'Green\\nTea', long].map((wrong) => [
      `[\n  ${tea.replace('Tea', wrong)}\n]`,
      [`catalogue.json, line 2: "[0].name" is "${wrong}". ${name}`],
    ]),
    ...['red', '#8ee34', '#8ee34a80'].map((wrong) => [
      `[\n  ${tea.replace('#8ee34a', wrong)}\n]`,
      [
        `catalogue.json, line 2: "[0].color" is "${wrong}". It must be a colour of six digits, such as "#8ee34a", or an object with one for "light" and one for "dark".`,
      ],
    ]),
    [`[\n  ${tea},\n  ${tea}\n]`, ['catalogue.json, line 3: "[1].code" is "TEA", as in "[0]". Each item has a code of its own.']],
    [
      `[\n  ${tea},\n  ${tea.replace('TEA', 'ALE')}\n]`,
      ['catalogue.json, line 3: "[1].name" is "Tea", as in "[0]". Each item has a name of its own.'],
    ],
    [
      `[\n  ${tea.replace('TEA', 'TEA_2')},\n  ${tea.replace('TEA', 'TEA2').replace('Tea', 'Other Tea')}\n]`,
      [
        'catalogue.json, line 3: "[1].code" is "TEA2", which is "tea2" in balances, as the code of "[0]" is. Choose codes that differ in more than underscores.',
      ],
    ],
    [
      `[\n  ${tea},\n  ${tea.replace('TEA', 'ALE').replace('Tea', 'TEA')}\n]`,
      ['catalogue.json, line 3: "[1].name" is "TEA", which is the code of "[0]".'],
    ],
  ])('%j is refused with file, line and field', async (text, problems) => {
    expect(await problemsOf(text as string)).toEqual(problems)
  })

  const svg = (inside: string) => plainSvg.replace('<circle', `${inside}<circle`)
  const big = svg(`<!--${'x'.repeat(100_000)}-->`)
  it.each([
    ['gone.svg', {}, 'does not exist.'],
    ['../drink.svg', {}, 'is no file name of letters, digits, - and _ that ends in .svg or .webp.'],
    ['drink.png', {}, 'is no file name of letters, digits, - and _ that ends in .svg or .webp.'],
    ['big.svg', { 'big.svg': big }, 'has 100,100 bytes; a picture may have 100,000.'],
    ['bad.svg', { 'bad.svg': svg('<script>alert(1)</script>') }, /^has <script>/],
    ['bad.svg', { 'bad.svg': plainSvg.replace('<circle', '<circle onclick="alert(1)"') }, /^has onclick in <circle>, which is a script/],
    ['bad.svg', { 'bad.svg': svg('<foreignObject/>') }, /^has <foreignObject>/],
    ['bad.svg', { 'bad.svg': svg('<a href="javascript:alert(1)"/>') }, /^has <a>/],
    ['bad.svg', { 'bad.svg': svg('<use href="https://elsewhere.example/x.svg#y"/>') }, /outside/],
    ['bad.webp', { 'bad.webp': 'RIFF' }, 'is no WebP picture.'],
  ])('with the picture %s (%#) is refused where its file is named', async (image, files, why) => {
    const [problem = '', ...others] = await problemsOf(
      `[\n  ${tea},\n  ${tea.replace('TEA', 'ALE').replace('Tea', 'Ale').replace('drink.svg', image)}\n]`,
      files,
    )
    const start = `catalogue.json, line 3: "[1].image" is ${JSON.stringify(image)}, which `
    expect(problem.slice(0, start.length)).toBe(start)
    expect(problem.slice(start.length)).toMatch(why)
    expect(others).toEqual([])
  })

  it('whose file is missing is refused', async () => {
    await expect(readCatalogue('/nowhere/catalogue.json', options)).rejects.toThrow('/nowhere/catalogue.json does not exist.')
  })
})
