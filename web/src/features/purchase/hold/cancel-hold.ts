import { type Purchase } from '@juicebar/contract/schemas'

import { call } from '../../../api/client.ts'

/**
 * Cancels a hold that is not paid.
 *
 * @returns the closed purchase
 * @throws ApiError
 */
export async function cancelHold(purchaseId: string): Promise<Purchase> {
  return (await call('cancelPurchase', { params: { id: purchaseId } })).purchase
}
