import { type Platform } from './wallet.ts'

/** Where to get Phantom: on iOS the link that opens `page` in Phantom's own browser, elsewhere the download page. */
export function phantomLink(platform: Platform, page: URL | Location): string {
  return platform === 'ios' ? phantomBrowseLink(page) : 'https://phantom.app/download'
}

/** The universal link that opens a page of the market in Phantom's own browser, also when it is scanned. */
export function phantomBrowseLink({ href, origin }: URL | Location): string {
  return `https://phantom.app/ul/browse/${encodeURIComponent(href)}?ref=${encodeURIComponent(origin)}`
}
