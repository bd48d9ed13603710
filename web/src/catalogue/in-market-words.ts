import { marketSettings } from '../settings/market-settings.ts'

/** A text of Juicebar's own about drinks, as this market says it: a studio's own items may be no drinks. Pass no names in it. */
export function inMarketWords(text: string): string {
  if (!marketSettings().ownItems) return text
  return text
    .replaceAll(/\ba drink/g, 'an item')
    .replaceAll('drink', 'item')
    .replaceAll('Drink', 'Item')
}
