import { type Case, type PublicConfig } from '@juicebar/contract/schemas'

import { errorSentence, isUnanswered } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { untilAnswered } from '../../api/retry-unanswered.ts'
import { showBanner, showToast } from '../../feedback/notices.ts'
import { whileProcessing } from '../../feedback/use-processing.ts'
import { createStore } from '../../ui/store.ts'
import { askToPay, PaymentFailed } from '../../payment/sign-payment.ts'
import { transactionVersion } from '../../wallet/wallet.ts'
import { ANSWER_MS, type Connection, requireConnection } from '../../wallet/wallet-store.ts'

/** Cases whose refund may be on its way without the server knowing of it: nobody is asked to pay them a second time. */
export const unconfirmedRefunds = createStore<ReadonlySet<string>>(new Set())

/** How long signed bytes may still land, in milliseconds, generously. */
const MAY_LAND_MS = 120_000
/** How long signed bytes are handed in again where no answer comes, in milliseconds. */
const HAND_IN_MS = 30_000

/** Pays a case's SOL back to its buyer: the server prepares the transaction, the seller's wallet signs it. A failure goes to the banner. */
export async function refund(subject: Case, network: PublicConfig['network']): Promise<void> {
  try {
    await whileProcessing('Approve the refund in your wallet', () => payBack(subject, network))
    showToast('The refund is on its way. The case closes when the network has finalized it.', 'good')
  } catch (error) {
    if (error instanceof PaymentFailed && !error.nothingSigned) keepFromPayingTwice(subject.caseId)
    showBanner(errorSentence(error, 'The refund did not work'))
  } finally {
    refreshMarket().catch(() => undefined)
  }
}

async function payBack(subject: Case, network: PublicConfig['network']): Promise<void> {
  const connection = requireConnection()
  const transaction = await prepare(subject, connection)
  const answer = await askToPay(connection, {
    transaction,
    network,
    milliseconds: ANSWER_MS,
    ifUnsure: 'If your wallet shows the refund as sent, do not send it again: we look for it on the chain and close the case by ourselves.',
  })
  if ('signed' in answer) await handIn(subject.caseId, answer.signed)
  else keepFromPayingTwice(subject.caseId)
}

/** What the wallet is to sign. Throws where the server prepared anything but the refund that the seller was shown. */
async function prepare({ caseId, buyer, lamports }: Case, { wallet, account }: Connection): Promise<Uint8Array> {
  const [{ refundDetails }, { base64 }, { checkedRefund }] = await Promise.all([
    call('prepareRefund', { params: { id: caseId } }),
    import('@scure/base'),
    import('./refund-transaction.ts'),
  ])
  const terms = { from: account.address, to: buyer, lamports: BigInt(lamports), reference: refundDetails.reference }
  const transaction = checkedRefund(base64.decode(refundDetails.transaction), terms, transactionVersion(wallet))
  if (!transaction) throw new Error('The server prepared another refund than the one shown. Your wallet was not asked; no SOL moved.')
  return transaction
}

async function handIn(caseId: string, signed: Uint8Array): Promise<void> {
  const { base64 } = await import('@scure/base')
  const input = { params: { id: caseId }, body: { transaction: base64.encode(signed) } }
  try {
    await untilAnswered(() => call('submitRefund', input), HAND_IN_MS)
  } catch (error) {
    if (!isUnanswered(error)) throw error
    throw new PaymentFailed(
      'The connection broke while the refund was handed in, so it is not known yet whether SOL moved. Do not send it again: this page shows the outcome as soon as the server answers.',
      false,
      error,
    )
  }
}

function keepFromPayingTwice(caseId: string): void {
  unconfirmedRefunds.set(new Set([...unconfirmedRefunds.get(), caseId]))
  setTimeout(() => {
    const others = [...unconfirmedRefunds.get()].filter((other) => other !== caseId)
    unconfirmedRefunds.set(new Set(others))
  }, MAY_LAND_MS)
}
