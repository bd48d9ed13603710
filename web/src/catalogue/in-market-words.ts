import { marketSettings } from '../settings/market-settings.ts'

/**
 * Adapts one of Juicebar's own texts about drinks to this market, because a studio's own items may not be drinks. The text must not contain
 * names.
 */
export function inMarketWords(text: string): string {
  if (!marketSettings().ownItems) return text
  return text
    .replaceAll(/\ba drink/g, 'an item')
    .replaceAll('drink', 'item')
    .replaceAll('Drink', 'Item')
}
