import { marketTitle } from './market-settings.ts'

/** The product's own sentences, word for word from the specification (sections 2, 5 and 8). */
export const messages = {
  loginFailed: (reason = 'Authorization error') => `Error: ${reason}. Check if your internet connection is stable`,
  loadFailed: 'Failed to load data. Check connection to backend',
  healthFailed: 'Server is not responding. Make sure your internet connection is stable',
  createFailed: 'Error creating listing',
  purchaseFailed: 'Error during purchase',
  removeFailed: 'Error removing listing',
  fieldsMissing: 'Fill in all fields',
  ownListing: 'You cannot buy your own listing!',
  insufficientSol: 'Insufficient SOL to purchase!',
  listingCreated: 'Listing created successfully!',
  /** `signature` is shown with its first 20 characters. */
  purchaseSucceeded: (signatureStart: string) => `Purchase successful! ${signatureStart}`,
  listingRemoved: 'Listing removed.',
} as const

/** The two-line message that a wallet signs. `host` is the host of the public origin, never of the request. */
export function loginMessage(productName: string, host: string, nonce: string): string {
  return `Log in to ${marketTitle(productName)} at ${host}\nNonce: ${nonce}`
}
