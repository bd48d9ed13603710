import { MARKET_SETTINGS_ID, type MarketSettings } from '@juicebar/contract/market-settings'

let settings: MarketSettings | undefined

/** The market's settings, which the server writes into the HTML. */
export function marketSettings(): MarketSettings {
  settings ??= JSON.parse(document.getElementById(MARKET_SETTINGS_ID)?.textContent ?? '') as MarketSettings
  return settings
}
