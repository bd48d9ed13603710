import { type PublicConfig } from '@juicebar/contract/schemas'

import { readLatestBlockhash } from '../../../api/chain.ts'
import { call } from '../../../api/client.ts'
import { retryPassing } from '../../../api/retry-passing.ts'
import { signPayment } from '../../../payment/sign-payment.ts'
import { submitPayment } from '../../../payment/submit-payment.ts'
import { transactionVersion } from '../../../wallet/signatures.ts'
import { type Connection } from '../../../wallet/wallet-store.ts'
import { type Hold } from './hold-order.ts'

/** How long to try to read a blockhash, in milliseconds: the buyer waits for it before the wallet opens. */
const BLOCKHASH_TIMEOUT_MS = 10_000

/** An outage extends the time to pay by at most the same time again. */
const MOST_EXTENDED = 2

/**
 * Has the wallet sign the payment of a hold, and makes sure that it is sent.
 *
 * @returns the transaction's signature in base58
 * @throws PaymentFailed or ApiError
 */
export async function payHold(hold: Hold, connection: Connection, network: PublicConfig['network']): Promise<string> {
  const [{ buildPayment }, { base58 }, lifetime] = await Promise.all([
    import('../../../payment/build-payment.ts'),
    import('@scure/base'),
    retryPassing(readLatestBlockhash, BLOCKHASH_TIMEOUT_MS),
  ])
  const transaction = buildPayment({
    from: connection.account.address,
    transfers: hold.transfers.map(({ to, lamports }) => ({ to, lamports: BigInt(lamports) })),
    reference: hold.reference,
    version: transactionVersion(connection.wallet),
    lifetime,
  })
  const payment = await signPayment(connection, {
    transaction,
    network,
    timeout: hold.payMillisLeft,
    ifUnsure: 'If your wallet shows the payment as sent, do not pay again: we will find it on the chain and deliver.',
  })
  if ('sentAs' in payment) return base58.encode(payment.sentAs)
  const { signature } = await submitPayment({
    signed: payment.signed,
    submit: (bytes) => call('submitPayment', { params: { id: hold.purchaseId }, body: { transaction: bytes } }),
    timeout: hold.payMillisLeft * MOST_EXTENDED,
    ifUnanswered:
      'The server did not say what became of your payment, so it is not known yet whether SOL moved. Do not pay again: this page shows the outcome as soon as the server answers.',
  })
  return signature
}
