import { isSafeReturn } from '@juicebar/contract/return-address'

/** What the game is told when the player returns. It proves nothing: the game asks the market. */
export type ReturnStatus = 'completed' | 'expired' | 'cancelled'

/** What the game is told: the checkout, by the game's own identifier of it, and how it stands. */
export interface Returned {
  id: string
  status: ReturnStatus
}

/**
 * The address that a player returns to, with the result at the end of its query, which is otherwise left as it is.
 *
 * @returns undefined if the page may not open that address, whatever the server says
 */
export function returnAddress(returnUrl: string, { id, status }: Returned): URL | undefined {
  const url = readReturnUrl(returnUrl)
  if (!url) return undefined
  const result = new URLSearchParams({ checkout: id, status })
  url.search = url.search.length > 1 ? `${url.search}&${result}` : `${result}`
  return url
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
