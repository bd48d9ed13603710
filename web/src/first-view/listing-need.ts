import { type Reply } from '@juicebar/contract/calls'
import { playerEndpoints } from '@juicebar/contract/endpoints/player'

import { listingQuery } from '../api/listing-query.ts'
import { queryClient } from '../api/query-client.ts'
import { need, type Need } from './need.ts'

/** The listing at the page's address. */
export function listingNeed(id: string): Need {
  return need(playerEndpoints.listing, { params: { id } }, ({ listing }: Reply<'listing'>) =>
    queryClient.setQueryData(listingQuery(id).queryKey, listing),
  )
}
