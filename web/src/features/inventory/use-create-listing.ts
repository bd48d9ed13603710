import { messages } from '@juicebar/contract/messages'
import { type TokenType } from '@juicebar/contract/token-types'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { showBanner, showToast } from '../../feedback/notices.ts'
import { whileProcessing } from '../../feedback/use-processing.ts'

/** Puts a lot on the market. Gives whether it worked; a failure goes to the banner. */
export async function createListing(tokenType: TokenType, price: number, amount: number): Promise<boolean> {
  try {
    await whileProcessing('Putting your lot on the market', () => call('createListing', { body: { tokenType, price, amount } }))
    showToast(messages.listingCreated, 'good')
    return true
  } catch (error) {
    showBanner(serverSentence(error, messages.createFailed))
    return false
  } finally {
    refreshMarket().catch(() => undefined)
  }
}
