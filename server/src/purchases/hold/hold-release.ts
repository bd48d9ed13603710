import { type PurchaseRow } from '../purchase-store.ts'

/** Whether nothing that was signed inside the payment window can land any more: the finalized chain is above the release height. */
export function isBeyondRelease(
  finalized: { genesisHash: string; height: bigint },
  { genesisHash, releaseHeight }: Pick<PurchaseRow, 'genesisHash' | 'releaseHeight'>,
): boolean {
  return finalized.genesisHash === genesisHash && releaseHeight !== null && finalized.height > releaseHeight
}

/** What decides whether the studio may release a hold. */
export interface ReleaseState {
  status: PurchaseRow['status']
  /** Nothing signed inside the payment window can land any more. */
  beyondRelease: boolean
  /** No bytes are recorded, or those that are proved expired. */
  recordedExpired: boolean
  /** Every endpoint has shown that it can never prove that no payment came. */
  unprovable: boolean
}

/**
 * Whether a person may end a hold for which there is no proof: only if no payment can land any more, and no endpoint will ever prove that
 * none has landed.
 * @returns what speaks against it, in words for the studio; undefined if nothing does.
 */
export function releaseObjection({ status, beyondRelease, recordedExpired, unprovable }: ReleaseState): string | undefined {
  if (status !== 'held') return 'it is not held any more.'
  if (!beyondRelease) return 'a payment that was signed in time may still land.'
  if (!recordedExpired) return 'the payment that was submitted for it may still land, or has landed.'
  if (!unprovable) return 'the chain may still prove whether it was paid. The market keeps asking every endpoint.'
  return undefined
}
