import { type PurchaseRow } from '../purchase-store.ts'

/** Whether nothing signed within the payment window can still land: the finalized chain is above the release height. */
export function isBeyondRelease(
  finalized: { genesisHash: string; height: bigint },
  { genesisHash, releaseHeight }: Pick<PurchaseRow, 'genesisHash' | 'releaseHeight'>,
): boolean {
  return finalized.genesisHash === genesisHash && releaseHeight !== null && finalized.height > releaseHeight
}

/** The facts that decide whether the studio may release a hold. */
export interface ReleaseState {
  status: PurchaseRow['status']
  /** Nothing signed within the payment window can still land. */
  beyondRelease: boolean
  /** No bytes are recorded, or the recorded ones are proved expired. */
  recordedExpired: boolean
  /** Every endpoint has shown that it can never prove that no payment landed. */
  unprovable: boolean
}

/**
 * Whether a person may end a hold that cannot be proved unpaid: only if no payment can still land and no endpoint can ever prove that none
 * has landed.
 * @returns why not, in words for the studio; undefined if they may.
 */
export function releaseObjection({ status, beyondRelease, recordedExpired, unprovable }: ReleaseState): string | undefined {
  if (status !== 'held') return 'it is not held any more.'
  if (!beyondRelease) return 'a payment that was signed in time may still land.'
  if (!recordedExpired) return 'the payment that was submitted for it may still land, or has landed.'
  if (!unprovable) return 'the chain may still prove whether it was paid. The market keeps asking every endpoint.'
  return undefined
}
