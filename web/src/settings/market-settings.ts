import { MARKET_SETTINGS_ID, type MarketSettings } from '@juicebar/contract/market-settings'

let settings: MarketSettings | undefined

/** What the server has written into the HTML about this market. */
export function marketSettings(): MarketSettings {
  settings ??= JSON.parse(document.getElementById(MARKET_SETTINGS_ID)?.textContent ?? '') as MarketSettings
  return settings
}
