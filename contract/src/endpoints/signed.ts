import { type studioEndpoints } from './studio.ts'

/** Calls that a staff member signs with the wallet each time: a stolen session can make none of them. */
export const signedCalls = [
  'studioCredit',
  'studioDebit',
  'studioOrders',
  'createStudioKey',
  'revokeStudioKey',
  'setStaff',
  'removeStaff',
  'releasePurchase',
  'acceptRecovery',
  'createWebhook',
  'rotateWebhook',
] as const satisfies readonly (keyof typeof studioEndpoints)[]

export type SignedCall = (typeof signedCalls)[number]

export function isSignedCall(name: string): name is SignedCall {
  return signedCalls.some((signed) => signed === name)
}

/** The headers of a signed call: the challenge's id, and the wallet's signature of its message in base58. */
export const CHALLENGE_HEADER = 'studio-challenge'
export const SIGNATURE_HEADER = 'studio-signature'
