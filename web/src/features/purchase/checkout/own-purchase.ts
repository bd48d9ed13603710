import { type PlayerCheckout, type Purchase } from '@juicebar/contract/schemas'

type Sought = Pick<PlayerCheckout, 'tokenType' | 'amount' | 'status'>

/**
 * The player's open purchase that pays for a checkout: while one does, it is of exactly the checkout's item and amount.
 *
 * @param open undefined until they are loaded
 */
export function purchaseFor({ tokenType, amount, status }: Sought, open: readonly Purchase[] | undefined): Purchase | undefined {
  if (status !== 'paying') return undefined
  return open?.find((purchase) => purchase.amount === amount && purchase.items.every((item) => item.tokenType === tokenType))
}
