import { type Case, type PublicConfig } from '@juicebar/contract/schemas'

import { errorSentence } from '../api/api-error.ts'
import { call } from '../api/client.ts'
import { refreshMarket } from '../api/refresh.ts'
import { showBanner, showToast } from '../ui/notices.ts'
import { whileProcessing } from '../ui/processing.ts'
import { chainOf, signAndSend, signsWithoutSending, signTransaction } from '../wallet/wallet.ts'
import { answerOf, WalletError } from '../wallet/wallet-error.ts'
import { ANSWER_MS, requireConnection } from '../wallet/wallet-store.ts'

/** Pays a case's SOL back to its buyer: the server prepares the transaction, the seller's wallet signs it. A failure goes to the banner. */
export async function refund({ caseId }: Case, network: PublicConfig['network']): Promise<void> {
  try {
    await whileProcessing('Approve the refund in your wallet', () => payBack(caseId, network))
    showToast('The refund is on its way. The case closes when the network has finalized it.', 'good')
  } catch (error) {
    const unpaid = error instanceof WalletError ? '. No SOL moved.' : ''
    showBanner(errorSentence(error, 'The refund did not work') + unpaid)
  } finally {
    refreshMarket().catch(() => undefined)
  }
}

async function payBack(caseId: string, network: PublicConfig['network']): Promise<void> {
  const { wallet, account } = requireConnection()
  const [{ refundDetails }, { base64 }] = await Promise.all([call('prepareRefund', { params: { id: caseId } }), import('@scure/base')])
  const unsigned = base64.decode(refundDetails.transaction)
  const chain = chainOf(network)
  if (!signsWithoutSending(wallet)) {
    await answerOf(signAndSend(wallet, account, unsigned, chain), ANSWER_MS)
    return
  }
  const signed = await answerOf(signTransaction(wallet, account, unsigned, chain), ANSWER_MS)
  await call('submitRefund', { params: { id: caseId }, body: { transaction: base64.encode(signed) } })
}
