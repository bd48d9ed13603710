import { type Platform } from './wallet.ts'

/** Where to get Phantom: on iOS the universal link that opens `page` in Phantom's own browser, elsewhere the download page. */
export function phantomLink(platform: Platform, page: URL | Location): string {
  if (platform !== 'ios') return 'https://phantom.app/download'
  return `https://phantom.app/ul/browse/${encodeURIComponent(page.href)}?ref=${encodeURIComponent(page.origin)}`
}
