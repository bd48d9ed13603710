import { type Case, type PublicConfig } from '@juicebar/contract/schemas'

import { ApiError, asSentence, isUnexplained } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { failsOnTwoSigners, PaymentFailed, rememberLoneSigner, signPayment, signsAlone } from '../../payment/sign-payment.ts'
import { submitPayment } from '../../payment/submit-payment.ts'
import { requireConnection, signsWithoutSending, transactionVersion } from '../../wallet/signatures.ts'
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

/** The settings of the market that a refund depends on. */
type Market = Pick<PublicConfig, 'network' | 'refundCoSigner'>

/**
 * Pays a case's SOL back to its buyer: the server prepares the transaction, the seller's wallet signs it, and, if it can sign without sending,
 * the market as well.
 *
 * @throws Error with a sentence for the seller if nothing was paid
 */
export async function refundCase(subject: Case, market: Market): Promise<RefundOutcome> {
  try {
    const sent = await payBack(subject, market)
    return { mayLandUntil: sent === 'by the wallet' ? Date.now() + MAY_LAND_MS : undefined, warning: undefined }
  } catch (error) {
    if (error instanceof PaymentFailed && !error.nothingSigned) return { mayLandUntil: Date.now() + MAY_LAND_MS, warning: error.message }
    if (isUnexplained(error)) throw new Error(`${asSentence(error.message)} Your wallet was not asked, so no SOL moved.`, { cause: error })
    throw error
  }
}

type Sent = 'by the wallet' | 'by the server'

async function payBack(subject: Case, market: Market): Promise<Sent> {
  const connection = requireConnection()
  const { wallet } = connection
  const coSigned = market.refundCoSigner !== null && signsWithoutSending(wallet) && !signsAlone(wallet.name)
  try {
    return await send(subject, connection, { network: market.network, coSigned })
  } catch (error) {
    const isLoneSigner = failsOnTwoSigners(error)
    if (!coSigned || !(isLoneSigner || isCoSignOff(error))) throw error
    const sent = await send(subject, connection, { network: market.network, coSigned: false })
    if (isLoneSigner) rememberLoneSigner(wallet.name)
    return sent
  }
}

function isCoSignOff(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'CO_SIGN_OFF'
}

async function send(
  subject: Case,
  connection: Connection,
  { network, coSigned }: { network: PublicConfig['network']; coSigned: boolean },
): Promise<Sent> {
  const transaction = await prepare(subject, connection, coSigned)
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
async function prepare({ caseId, buyer, lamports }: Case, { wallet, account }: Connection, coSigned: boolean): Promise<Uint8Array> {
  const [{ refundDetails }, { base64 }, { checkedRefund }] = await Promise.all([
    call('prepareRefund', { params: { id: caseId }, body: { coSigned } }),
    import('@scure/base'),
    import('./refund-transaction.ts'),
  ])
  const { reference, coSigner } = refundDetails
  const terms = { from: account.address, to: buyer, lamports: BigInt(lamports), reference, coSigner }
  const transaction = checkedRefund(base64.decode(refundDetails.transaction), terms, transactionVersion(wallet))
  if (!transaction) throw new Error('The server prepared a different refund from the one shown. Your wallet was not asked; no SOL moved.')
  return transaction
}
