import { balanceKey, CODE_PATTERN, MAX_CODE } from '@juicebar/contract/catalogue'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { houseBrand } from '../../src/brand/brand.ts'
import { contrast, CONTROL_CONTRAST, themes } from '../../src/brand/palette.ts'
import { balancesOf } from '../../src/catalogue/balances.ts'
import { type Catalogue } from '../../src/catalogue/catalogue.ts'
import { readCatalogue } from '../../src/catalogue/read-catalogue.ts'
import { ConfigError } from '../../src/settings/config-error.ts'
import { house } from '../support/catalogue.ts'
import { catalogueFile } from './catalogue-folder.ts'

const options = { surfaces: houseBrand.surfaces, house }
const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const code = fc.stringMatching(new RegExp(CODE_PATTERN)).filter((text) => text.length <= MAX_CODE)
const name = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' }).filter((text) => text.trim() === text)
const item = fc.record({
  code,
  name,
  image: fc.constant('drink.svg'),
  color: fc.oneof(color, fc.record({ light: color, dark: color })),
})
const items = fc
  .uniqueArray(item, { minLength: 1, maxLength: 12, selector: ({ code }) => balanceKey(code) })
  .map((all) => all.map((each, index) => ({ ...each, name: `${each.name.slice(0, 35)} #${index}` })))

it('every catalogue that keeps to the rules is read as it is written, and its colours can be told apart in both themes', async () => {
  await fc.assert(
    fc.asyncProperty(items, async (written) => {
      const { items: found, find } = await readCatalogue(await catalogueFile(written), options)
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
  await fc.assert(
    fc.asyncProperty(broken, async (text) => {
      const path = await catalogueFile(text)
      const result = await readCatalogue(path, options).catch((error: unknown) => error)
      if (isCatalogue(result)) return
      expect(result).toBeInstanceOf(ConfigError)
      const { problems } = result as ConfigError
      expect(problems.length).toBeGreaterThan(0)
      for (const problem of problems) expect(problem.startsWith(`${path}, line `) || problem === `${path} is empty.`).toBe(true)
    }),
    { numRuns: 200 },
  )
})

it('a balance has a field for every item, and none of another but what there is some of', async () => {
  await fc.assert(
    fc.asyncProperty(items, fc.array(fc.tuple(code, fc.nat())), async (written, foreign) => {
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

function isCatalogue(result: unknown): result is Catalogue {
  return typeof result === 'object' && result !== null && 'items' in result
}
