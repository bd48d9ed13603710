import { type MarketSettings } from '@juicebar/contract/market-settings'

/** Juicebar's own market. */
export const houseSettings: MarketSettings = {
  title: 'Juicebar Marketplace',
  logo: '/favicon.svg',
  welcome: null,
  footer: null,
  ownItems: false,
  catalogue: [
    { code: 'APPLE_JUICE', name: 'Apple Juice', image: '/files/apple-juice.svg', color: { light: '#52ab1b', dark: '#8ee24b' } },
    { code: 'ORANGE_JUICE', name: 'Orange Juice', image: '/files/orange-juice.svg', color: { light: '#f07900', dark: '#ff9f33' } },
    { code: 'GRAPE_SODA', name: 'Grape Soda', image: '/files/grape-soda.svg', color: { light: '#8b3ae5', dark: '#b57cff' } },
  ],
}

/** Puts settings into the page, for modules that have not read them yet. */
export function servePage(settings: MarketSettings): void {
  // Not a stub of vitest's: a test that takes back all of those would take this back, too.
  Object.assign(globalThis, { document: { getElementById: () => ({ textContent: JSON.stringify(settings) }) } })
}
