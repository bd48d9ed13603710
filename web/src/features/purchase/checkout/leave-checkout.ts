import { returnAddress, type Returned } from './return-address.ts'

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
