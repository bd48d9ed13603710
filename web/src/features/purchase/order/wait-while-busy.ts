import { hasCode } from '../../../api/refusals.ts'
import { pause } from '../../../api/retry-passing.ts'
import { type Connection, useWallet } from '../../../wallet/wallet-store.ts'

/** How long to retry without asking the buyer, from the first attempt on, in milliseconds: as long as a wallet may take to answer. */
const PATIENCE_MS = 120_000
/** How long to wait if the server does not say, in seconds. */
const DEFAULT_WAIT_S = 5
/** Waits are longer than the server asks by up to this share, so that buyers who were refused together do not return together. */
const JITTER = 0.25

interface Waiting {
  connection: Connection
  /** Aborted, with the error to throw, when the buyer cancels. */
  signal: AbortSignal
  /** Called when the server is too busy, with the milliseconds until the next attempt. */
  onBusy: (retryMillis: number) => void
}

/**
 * Makes a call that begins a purchase. If the server is too busy for another one, the call is repeated when the server says so, for up to two
 * minutes.
 *
 * @throws ApiError, with CHAIN_BUSY if the server is still busy; PurchaseStopped, or the signal's reason, with nothing begun
 */
export async function waitWhileBusy<Answer>(attempt: () => Promise<Answer>, { connection, signal, onBusy }: Waiting): Promise<Answer> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const wait = busyMillis(error)
      if (wait === undefined || Date.now() + wait > giveUpAt) throw error
      onBusy(wait)
      await pause(wait, signal)
      requireSameWallet(connection)
    }
  }
}

/** @returns undefined if the server is not merely busy; else the milliseconds to wait, in whole seconds as the buyer sees them */
function busyMillis(error: unknown): number | undefined {
  if (!hasCode(error, 'CHAIN_BUSY')) return undefined
  return Math.ceil((error.retryAfter ?? DEFAULT_WAIT_S) * (1 + Math.random() * JITTER)) * 1_000
}

/** @throws PurchaseStopped if another wallet, or another account, was connected meanwhile */
export function requireSameWallet(connection: Connection): void {
  if (useWallet.getState().connected === connection) return
  throw new PurchaseStopped('Your wallet changed while you waited, so this purchase was given up. Nothing was held, and no SOL moved.', {
    byBuyer: false,
  })
}

/** A purchase that ended before the wallet was asked. `message` says why, and that no SOL moved. */
export class PurchaseStopped extends Error {
  /** True if the buyer wanted it, so that nothing went wrong. */
  readonly byBuyer: boolean

  constructor(message: string, { byBuyer }: { byBuyer: boolean }) {
    super(message)
    this.name = 'PurchaseStopped'
    this.byBuyer = byBuyer
  }
}
