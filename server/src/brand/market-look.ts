import { marketTitle } from '@juicebar/contract/market-settings'
import { tokenTypes } from '@juicebar/contract/token-types'

import { type MarketLook } from '../http/web-app.ts'
import { type Config, isLoopback } from '../settings/config.ts'
import { type Brand } from './brand.ts'

/** `npm run pictures -- preview` draws it. Most apps show no SVG in a link preview, which Juicebar's logo is. */
const housePreview = { path: '/preview.png', size: { width: 1200, height: 630 } }

const listInWords = new Intl.ListFormat('en-GB')

/** What is served beside the web app to make it this market's. Whatever the web app must know at once is a field of `settings`. */
export function marketLook({ productName, publicOrigin }: Config, brand: Brand): MarketLook {
  const { description, welcome, footer, logo, styleSheet, themeColors } = brand
  const names = tokenTypes.map(({ name }) => name)
  return {
    head: {
      settings: { title: marketTitle(productName), logo: logo?.path ?? '/favicon.svg', welcome, footer },
      description: description ?? `Trade ${listInWords.format(names)}, paid wallet to wallet in SOL.`,
      themeColors,
      preview: logo ? { path: logo.path } : housePreview,
      publicOrigin: isLoopback(new URL(publicOrigin).hostname) ? undefined : publicOrigin,
      styleSheet: styleSheet?.path,
    },
    pictures: logo ? [logo] : [],
    styleSheet,
  }
}
