import { marketTitle } from '@juicebar/contract/market-settings'
import { tokenTypes } from '@juicebar/contract/token-types'

import { type MarketLook } from '../http/web-app.ts'
import { type Config, isLoopback } from '../settings/config.ts'

const listInWords = new Intl.ListFormat('en-GB')

/** What is served beside the web app to make it this market's. Whatever the web app must know at once is a field of `settings`. */
export function marketLook({ productName, publicOrigin }: Config): MarketLook {
  const names = tokenTypes.map(({ name }) => name)
  return {
    head: {
      settings: { title: marketTitle(productName), logo: '/favicon.svg' },
      description: `Trade ${listInWords.format(names)}, paid wallet to wallet in SOL.`,
      themeColors: { light: '#f6f2ea', dark: '#0e0d16' },
      publicOrigin: isLoopback(new URL(publicOrigin).hostname) ? undefined : publicOrigin,
    },
  }
}
