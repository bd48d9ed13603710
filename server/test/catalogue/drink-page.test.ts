import { expect, it } from 'vitest'

import { drinkPage } from '../../src/catalogue/drink-page.ts'
import { defaultCatalogue } from '../support/catalogue.ts'

it('each drink has a page of its own, which link previews tell apart', () => {
  const pages = defaultCatalogue.items.map(({ code }) => drinkPage(defaultCatalogue, code))
  expect(pages.map((page) => page?.title)).toEqual(['Apple Juice', 'Orange Juice', 'Grape Soda'])
  expect(pages.map((page) => page?.picture)).toEqual(defaultCatalogue.items.map(({ image }) => image))
  for (const page of pages) expect(page?.description).toContain(`What ${page?.title} costs in SOL`)
})

it.each(['APPLE_JUIC', 'apple_juice', 'Apple Juice', ''])('there is no page of %j', (code) => {
  expect(drinkPage(defaultCatalogue, code)).toBeUndefined()
})
