import { isSafeReturn } from '@juicebar/contract/return-address'

/** What the game is told when the player returns. It proves nothing: the game asks the market. */
export type ReturnStatus = 'completed' | 'expired' | 'cancelled'

/** What the game is told: the checkout, by the game's own identifier of it, and how it stands. */
export interface Returned {
  id: string
  status: ReturnStatus
}

/**
 * The address that a player returns to, with the result at the end of its query in place of an earlier one; the rest of the query is left
 * as it is.
 *
 * @returns undefined if the page may not open that address, whatever the server says
 */
export function returnAddress(returnUrl: string, { id, status }: Returned): URL | undefined {
  const url = readReturnUrl(returnUrl)
  if (!url) return undefined
  const result = new URLSearchParams({ checkout: id, status })
  const others = url.search
    .slice(1)
    .split('&')
    .filter((field) => field !== '' && !result.has(nameOf(field)))
  // One leading question mark is taken away, here and below; the game's query may begin with another.
  url.search = `?${[...others, result].join('&')}`
  return url
}

function nameOf(field: string): string {
  return [...new URLSearchParams(`?${field}`).keys()][0] ?? ''
}

/** The name of the site that a player returns to; undefined if the page may not open it. */
export function returnHost(returnUrl: string): string | undefined {
  return readReturnUrl(returnUrl)?.host
}

/** The server has checked the same when the checkout was made. */
function readReturnUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return isSafeReturn(url) && url.hash === '' ? url : undefined
}

/** The type of the message to the page that opened the pop-up. */
const MESSAGE_TYPE = 'juicebar.checkout'
/** How long a pop-up takes to close. Of one that the browser does not close, the address is opened then. */
const CLOSING_MS = 500

/** The part of a window that leaving takes. */
interface LeavingPage {
  opener: unknown
  close: () => void
  location: Pick<Location, 'assign'>
}

/**
 * Returns to the game. A pop-up tells the page that opened it, if that is still there, and closes. Everything else, and a pop-up that does
 * not close, opens the game's address instead. Does nothing if the page may not open that.
 *
 * @param page the window to leave
 */
export function leaveCheckout(returnUrl: string, returned: Returned, page: LeavingPage = window): void {
  const address = returnAddress(returnUrl, returned)
  if (!address) return
  const goByAddress = () => page.location.assign(address.href)
  if (!isOpenWindow(page.opener)) {
    goByAddress()
    return
  }
  // Whatever page of another site is there now does not get it.
  page.opener.postMessage({ type: MESSAGE_TYPE, ...returned }, address.origin)
  page.close()
  setTimeout(goByAddress, CLOSING_MS)
}

/** A window of another site lets others read hardly anything but this. */
function isOpenWindow(opener: unknown): opener is Pick<Window, 'postMessage'> {
  return typeof opener === 'object' && opener !== null && 'closed' in opener && opener.closed === false
}
