export type Platform = 'ios' | 'android' | 'desktop'

/** The kind of device, as far as wallets differ by it. An iPad reports itself as a Mac, but has a touch screen. */
export function platformOf(agent: { userAgent: string; maxTouchPoints: number }): Platform {
  if (/android/i.test(agent.userAgent)) return 'android'
  if (/iphone|ipad|ipod/i.test(agent.userAgent)) return 'ios'
  return /macintosh/i.test(agent.userAgent) && agent.maxTouchPoints > 1 ? 'ios' : 'desktop'
}

/** True inside another app's browser on Android, where the mobile wallet protocol cannot work. */
export function isInAppBrowser(userAgent: string): boolean {
  return /WebView|; wv\)|Version\/[\d.]+ Chrome\//i.test(userAgent)
}

/** Where to get Phantom: on iOS the universal link that opens `page` in Phantom's own browser, elsewhere the download page. */
export function phantomLink(platform: Platform, page: URL | Location): string {
  if (platform !== 'ios') return 'https://phantom.app/download'
  return `https://phantom.app/ul/browse/${encodeURIComponent(page.href)}?ref=${encodeURIComponent(page.origin)}`
}
