import { type Case, type PublicConfig } from '@juicebar/contract/schemas'

import { asSentence, isUnexplained } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { PaymentFailed } from '../../payment/payment-failed.ts'
import { signPayment } from '../../payment/sign-payment.ts'
import { submitPayment } from '../../payment/submit-payment.ts'
import { transactionVersion } from '../../wallet/signatures.ts'
import { requireConnection } from '../../wallet/require-connection.ts'
import { type Connection, WALLET_TIMEOUT_MS } from '../../wallet/wallet-store.ts'

/** How long to keep submitting signed bytes without an answer, in milliseconds. */
const SUBMIT_TIMEOUT_MS = 30_000
/** How long signed bytes may still land, in milliseconds: a generous estimate. */
export const MAY_LAND_MS = 120_000

export interface RefundOutcome {
  /** Until when the refund may land without the server knowing, by this browser's clock, so that it is not paid twice. */
  mayLandUntil: number | undefined
  /** What to tell the seller if it is not known whether SOL moved. */
  warning: string | undefined
}

/**
 * Pays a case's SOL back to its buyer: the server prepares the transaction, the seller's wallet signs it.
 *
 * @throws Error with a sentence for the seller if nothing was paid
 */
export async function refundCase(subject: Case, network: PublicConfig['network']): Promise<RefundOutcome> {
  try {
    const sent = await payBack(subject, network)
    return { mayLandUntil: sent === 'by the wallet' ? Date.now() + MAY_LAND_MS : undefined, warning: undefined }
  } catch (error) {
    if (error instanceof PaymentFailed && !error.nothingSigned) return { mayLandUntil: Date.now() + MAY_LAND_MS, warning: error.message }
    if (isUnexplained(error)) throw new Error(`${asSentence(error.message)} Your wallet was not asked, so no SOL moved.`, { cause: error })
    throw error
  }
}

async function payBack(subject: Case, network: PublicConfig['network']): Promise<'by the wallet' | 'by the server'> {
  const connection = requireConnection()
  const transaction = await prepare(subject, connection)
  const payment = await signPayment(connection, {
    transaction,
    network,
    timeout: WALLET_TIMEOUT_MS,
    ifUnsure: 'If your wallet shows the refund as sent, do not send it again: we will find it on the chain and close the case.',
  })
  if ('sentAs' in payment) return 'by the wallet'
  await submitPayment({
    signed: payment.signed,
    submit: (bytes) => call('submitRefund', { params: { id: subject.caseId }, body: { transaction: bytes } }),
    timeout: SUBMIT_TIMEOUT_MS,
    ifUnanswered:
      'The server did not say what became of the refund, so it is not known yet whether SOL moved. Do not send it again: this page shows the outcome as soon as the server answers.',
  })
  return 'by the server'
}

/** @throws Error if the server prepared anything but the refund that the seller was shown */
async function prepare({ caseId, buyer, lamports }: Case, { wallet, account }: Connection): Promise<Uint8Array> {
  const [{ refundDetails }, { base64 }, { checkedRefund }] = await Promise.all([
    call('prepareRefund', { params: { id: caseId } }),
    import('@scure/base'),
    import('./refund-transaction.ts'),
  ])
  const terms = { from: account.address, to: buyer, lamports: BigInt(lamports), reference: refundDetails.reference }
  const transaction = checkedRefund(base64.decode(refundDetails.transaction), terms, transactionVersion(wallet))
  if (!transaction) throw new Error('The server prepared a different refund from the one shown. Your wallet was not asked; no SOL moved.')
  return transaction
}
