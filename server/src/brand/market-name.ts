import { HOUSE_NAME } from '@juicebar/contract/market-settings'

import { ConfigError } from '../settings/config-error.ts'
import { type Brand } from './brand.ts'

/**
 * The market's name: the brand's title, or PRODUCT_NAME if it has none.
 *
 * @throws ConfigError if they are two different names
 */
export function marketName(productName: string, { title }: Brand): string {
  if (title === undefined || title === productName) return productName
  if (productName === HOUSE_NAME) return title
  throw new ConfigError([
    `PRODUCT_NAME is ${JSON.stringify(productName)}, but the title in the brand.json of BRAND_DIR is ${JSON.stringify(title)}. ` +
      'A market has one name: leave PRODUCT_NAME out.',
  ])
}
