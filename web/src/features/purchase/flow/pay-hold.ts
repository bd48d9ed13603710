import { type Reply } from '@juicebar/contract/calls'
import { type Purchase } from '@juicebar/contract/schemas'

import { isUnanswered } from '../../../api/api-error.ts'
import { readLatestBlockhash } from '../../../api/chain.ts'
import { call } from '../../../api/client.ts'
import { untilAnswered } from '../../../api/retry-unanswered.ts'
import { askToPay, PaymentFailed } from '../../../payment/sign-payment.ts'
import { signsWithoutSending, transactionVersion } from '../../../wallet/wallet.ts'
import { type Connection } from '../../../wallet/wallet-store.ts'

type Network = Reply<'config'>['network']
type Details = Reply<'buy'>['transactionDetails']

/** Holds a lot for this wallet. Asked again, the same hold is given. Throws `ApiError`. */
export async function holdListing(listingId: string, { wallet }: Connection): Promise<Details> {
  const body = signsWithoutSending(wallet) ? { sendsThrough: 'server' as const } : null
  return (await call('buy', { params: { id: listingId }, body })).transactionDetails
}

/** Has the wallet sign the payment of a hold and sees that it is sent. Gives the transaction's signature; throws `PaymentFailed` or `ApiError`. */
export async function payHold(details: Details, connection: Connection, network: Network): Promise<string> {
  const [{ buildPayment }, { base58 }, lifetime] = await Promise.all([
    import('../../../payment/build-payment.ts'),
    import('@scure/base'),
    readLatestBlockhash(),
  ])
  const transaction = buildPayment({
    from: connection.account.address,
    to: details.seller,
    lamports: BigInt(details.lamports),
    reference: details.reference,
    version: transactionVersion(connection.wallet),
    lifetime,
  })
  const answer = await askToPay(connection, {
    transaction,
    network,
    milliseconds: details.payMillisLeft,
    ifUnsure: 'If your wallet shows the payment as sent, do not pay again: we look for it on the chain and deliver by ourselves.',
  })
  return 'signed' in answer ? await handIn(details, answer.signed) : base58.encode(answer.sentAs)
}

/** Hands the signed bytes to the server; the same bytes may be handed in again where no answer came. */
async function handIn(details: Details, signed: Uint8Array): Promise<string> {
  const { base64 } = await import('@scure/base')
  const input = { params: { id: details.purchaseId }, body: { transaction: base64.encode(signed) } }
  try {
    return (await untilAnswered(() => call('submitPayment', input), details.payMillisLeft)).signature
  } catch (error) {
    if (!isUnanswered(error)) throw error
    throw new PaymentFailed(
      'The connection broke while your payment was handed in, so it is not known yet whether SOL moved. Do not pay again: this page shows the outcome as soon as the server answers.',
      false,
      error,
    )
  }
}

/** Gives a held lot back. Gives the ended purchase; throws `ApiError`. */
export async function letGo(purchaseId: string): Promise<Purchase> {
  return (await call('cancelPurchase', { params: { id: purchaseId } })).purchase
}
