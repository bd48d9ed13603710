import { MARKET_SETTINGS_ID, type MarketSettings } from '@juicebar/contract/market-settings'

let settings: MarketSettings | undefined

/** Sets the settings where there is no HTML to read them from: on the server, which writes them there. */
export function giveMarketSettings(given: MarketSettings): void {
  settings = given
}

/** The market's settings, which the server writes into the HTML. */
export function marketSettings(): MarketSettings {
  settings ??= JSON.parse(document.getElementById(MARKET_SETTINGS_ID)?.textContent ?? '') as MarketSettings
  return settings
}
