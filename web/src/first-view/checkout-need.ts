import { type Reply } from '@juicebar/contract/calls'
import { checkoutEndpoints } from '@juicebar/contract/endpoints/checkouts'

import { queryClient } from '../api/query-client.ts'
import { asRead, checkoutQuery } from '../features/purchase/checkout/checkout-query.ts'
import { need, type Need } from './need.ts'

/** The checkout at the page's address. */
export function checkoutNeed(publicId: string): Need {
  return need(checkoutEndpoints.checkout, { params: { publicId } }, ({ checkout }: Reply<'checkout'>) =>
    queryClient.setQueryData(checkoutQuery(publicId).queryKey, asRead(checkout)),
  )
}
