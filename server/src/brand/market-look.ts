import { type CatalogueItem } from '@juicebar/contract/catalogue'
import { marketTitle } from '@juicebar/contract/market-settings'
import { styleSheetOf } from '../http/page-head.ts'
import { type MarketLook } from '../http/web-app.ts'
import { type Picture } from '../pictures/picture.ts'
import { type Config } from '../config.ts'
import { type Brand } from './brand.ts'
import { isLoopback } from '../settings/setting-reader.ts'

/** `npm run pictures -- preview` draws it. Juicebar's logo is an SVG, which most apps do not show in link previews. */
const housePreview = { path: '/preview.png', size: { width: 1200, height: 630 } }

/** What is traded here. */
interface Goods {
  items: readonly CatalogueItem[]
  pictures: readonly Picture[]
  isOwn: boolean
}

/** More names than these are too many for a sentence. */
const NAMED = 5

const listInWords = new Intl.ListFormat('en-GB')

/**
 * What is served along with the web app to give it this market's look. Values that the web app needs at startup are fields of `settings`.
 */
export function marketLook({ productName, publicOrigin }: Config, brand: Brand, goods: Goods): MarketLook {
  const { description, welcome, footer, logo, themeColors } = brand
  const css = [brand.styleSheet?.css, goods.isOwn ? itemStyles(goods.items) : undefined].filter((part) => part !== undefined)
  const styleSheet = css.length > 0 ? styleSheetOf('colors', css.join('')) : undefined
  return {
    head: {
      settings: {
        title: marketTitle(productName),
        logo: logo?.path ?? '/favicon.svg',
        welcome,
        footer,
        catalogue: [...goods.items],
        ownItems: goods.isOwn,
      },
      description: description ?? `Trade ${namesOf(goods.items)}, paid wallet to wallet in SOL.`,
      themeColors,
      preview: logo ? { path: logo.path } : housePreview,
      publicOrigin: isLoopback(new URL(publicOrigin).hostname) ? undefined : publicOrigin,
      styleSheet: styleSheet?.path,
    },
    pictures: [...(logo ? [logo] : []), ...goods.pictures],
    styleSheet,
  }
}

/**
 * A studio's own items in their colours, like those of the house in the web app's drinks.css, whose rule for unknown items this one must
 * outweigh.
 */
function itemStyles(items: readonly CatalogueItem[]): string {
  const rules = items.map(
    ({ code, color: { light, dark } }) => `:root [data-token='${code}'] { --fruit: light-dark(${light}, ${dark}); --glow: ${dark}; }`,
  )
  // The web app's counter has three glasses, unless there are fewer items.
  return [...rules, `:root { --glasses: ${Math.min(items.length, 3)}; }`, ''].join('\n')
}

function namesOf(items: readonly CatalogueItem[]): string {
  const names = items.map(({ name }) => name)
  return listInWords.format(names.length <= NAMED ? names : [...names.slice(0, NAMED - 1), 'more'])
}
