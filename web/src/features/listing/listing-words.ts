import { type PayLinkState } from '@juicebar/contract/schemas'

import { inMarketWords } from '../../catalogue/in-market-words.ts'

/** The text under a payment link's QR code. */
export function payLinkText({ state, payMillisLeft }: PayLinkState): string {
  switch (state) {
    case 'open':
      return 'Waiting for your phone …'
    case 'held':
      return payMillisLeft > 0
        ? 'The listing is held for your wallet, which asks you to pay. Once paid, it shows here within half a minute.'
        : inMarketWords('The time to pay has run out. If you have paid, the drinks are on their way.')
    case 'paid':
      return 'Paid. The network is confirming it.'
    case 'delivered':
      return inMarketWords('Delivered. The drinks are in the inventory of the wallet that paid.')
    case 'expired':
      return 'This code has expired.'
  }
}

/** The link that, when scanned, opens a page of the market in Phantom's own browser. */
export function phantomBrowseLink(path: string, origin: string): string {
  return `https://phantom.app/ul/browse/${encodeURIComponent(origin + path)}?ref=${encodeURIComponent(origin)}`
}
