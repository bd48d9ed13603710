import { expect, it } from 'vitest'

import { houseBrand } from '../../src/brand/brand.ts'
import { marketName } from '../../src/brand/market-name.ts'

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
