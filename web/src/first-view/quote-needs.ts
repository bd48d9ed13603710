import { type TokenType } from '@juicebar/contract/catalogue'
import { playerEndpoints } from '@juicebar/contract/endpoints/player'
import { MAX_AMOUNT } from '@juicebar/contract/limits'

import { queryClient } from '../api/query-client.ts'
import { FIRST_AMOUNT, quoteQuery } from '../features/purchase/best-price/quote.ts'
import { need, type Need } from './need.ts'

/**
 * What a drink's buyer sees first: the best price of some, and how many are for sale. Optional, since nobody should wait for a page because
 * the database or the chain takes its time to say what a seller can be paid.
 */
export function quoteNeeds(tokenType: TokenType): readonly Need[] {
  return [FIRST_AMOUNT, MAX_AMOUNT].map((amount) => ({
    ...need(playerEndpoints.quote, { query: { tokenType, amount } }, (body) =>
      queryClient.setQueryData(quoteQuery(tokenType, amount, undefined).queryKey, body),
    ),
    isOptional: true,
  }))
}
