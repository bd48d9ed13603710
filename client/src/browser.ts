const ends = ['completed', 'expired', 'cancelled'] as const

/** How a checkout ended for its player. The game's server asks the market whether it was paid: a page can say anything. */
export interface CheckoutOutcome {
  /** The studio's `id` of the checkout; undefined if the window was closed before the page knew. */
  id: string | undefined
  /** closed: the player closed the window. */
  status: (typeof ends)[number] | 'closed'
}

const WIDTH = 420
const HEIGHT = 680
const LOOK_MILLIS = 500

export const checkout = {
  /**
   * Opens a checkout in a pop-up. Call it in the click that asks for it, or the browser blocks the window; then this page goes to the checkout
   * itself, which returns to the `returnUrl`.
   *
   * @param url the checkout's, or a promise of it, from your server
   * @returns once the player is done
   * @throws what the promise rejects with; the window is closed then
   */
  async open(url: string | Promise<string>): Promise<CheckoutOutcome> {
    const popup = window.open('about:blank', 'juicebar-checkout', `popup,width=${WIDTH},height=${HEIGHT},${centred()}`)
    try {
      const address = await url
      if (popup) return await outcomeIn(popup, address)
      location.assign(address)
      return await new Promise<never>(() => undefined)
    } catch (error) {
      popup?.close()
      throw error
    }
  },
}

function centred(): string {
  const left = Math.round(window.screenX + (window.outerWidth - WIDTH) / 2)
  return `left=${left},top=${Math.round(window.screenY + (window.outerHeight - HEIGHT) / 2)}`
}

function outcomeIn(popup: Window, address: string): Promise<CheckoutOutcome> {
  const { origin } = new URL(address)
  popup.location.href = address
  return new Promise((resolve) => {
    const listening = new AbortController()
    const end = (outcome: CheckoutOutcome) => {
      listening.abort()
      clearInterval(looking)
      resolve(outcome)
    }
    // No event tells that another site's window was closed.
    const looking = setInterval(() => popup.closed && end({ id: undefined, status: 'closed' }), LOOK_MILLIS)
    const onMessage = ({ source, origin: from, data }: MessageEvent<unknown>) => {
      const outcome = source === popup && from === origin ? readOutcome(data) : undefined
      if (outcome) end(outcome)
    }
    addEventListener('message', onMessage, { signal: listening.signal })
  })
}

function readOutcome(data: unknown): CheckoutOutcome | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || data.type !== 'juicebar.checkout') return undefined
  const status = ends.find((end) => 'status' in data && data.status === end)
  return status && 'id' in data && typeof data.id === 'string' ? { id: data.id, status } : undefined
}
