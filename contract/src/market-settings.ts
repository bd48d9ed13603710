import { type CatalogueItem } from './catalogue.ts'

/** The id of the data block in the HTML that has these settings as JSON. */
export const MARKET_SETTINGS_ID = 'market-settings'

/** What the web app shows before any reply has arrived: the server writes it into the HTML, so that it costs no request. */
export interface MarketSettings {
  /** The market's name as people read it. */
  title: string
  /** The path of the logo on this server. */
  logo: string
  /** The first text that visitors read; null for Juicebar's own. */
  welcome: string | null
  /** The studio's own text at the bottom; null for none. */
  footer: string | null
  /** What is traded here, in the order of the studio. Listings and purchases may have items that are not in it: older or newer ones. */
  catalogue: CatalogueItem[]
  /** The catalogue is the studio's own, so its items may not be drinks; false for Juicebar's three. */
  ownItems: boolean
}

/** The default market name. */
export const HOUSE_NAME = 'Juicebar'

/** The market's name for people: a studio's own name unchanged, and Juicebar's followed by *Marketplace*. */
export function marketTitle(productName: string): string {
  return productName === HOUSE_NAME ? `${HOUSE_NAME} Marketplace` : productName
}

/** Where the pages of drinks are: each has its token type at the end of its address. */
export const DRINK_PATH = '/drink/'

/** Where the pages of listings are: each has its id at the end of its address. */
export const LISTING_PATH = '/listing/'

/** Where the pages of checkouts are: each has its public identifier at the end of its address. */
export const CHECKOUT_PATH = '/checkout/'
