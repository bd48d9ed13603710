import { messages } from '@juicebar/contract/messages'

import { serverSentence } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { showBanner, showToast } from '../../feedback/notices.ts'
import { focusView, whileProcessing } from '../../feedback/use-processing.ts'

/** Takes one's own lot off the market; a failure goes to the banner. */
export async function removeListing(id: string): Promise<void> {
  try {
    await whileProcessing('Taking your lot off the market', () => call('removeListing', { params: { id } }))
    showToast(messages.listingRemoved, 'good')
    focusView()
  } catch (error) {
    showBanner(serverSentence(error, messages.removeFailed))
  } finally {
    refreshMarket().catch(() => undefined)
  }
}
