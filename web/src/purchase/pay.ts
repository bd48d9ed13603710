import { type Reply } from '@juicebar/contract/calls'
import { type Purchase } from '@juicebar/contract/schemas'

import { isUnanswered } from '../api/api-error.ts'
import { readLatestBlockhash } from '../api/chain.ts'
import { call } from '../api/client.ts'
import { chainOf, signAndSend, signsWithoutSending, signTransaction, transactionVersion } from '../wallet/wallet.ts'
import { answerOf, WalletError } from '../wallet/wallet-error.ts'
import { type Connection } from '../wallet/wallet-store.ts'

type Network = Reply<'config'>['network']
type Details = Reply<'buy'>['transactionDetails']

/** A payment that was not made: what happened, whether SOL moved, what to do. */
export class PaymentFailed extends Error {
  /** Nothing was signed, so the lot can be let go. */
  readonly nothingSigned: boolean

  constructor(message: string, nothingSigned: boolean, cause: unknown) {
    super(message, { cause })
    this.name = 'PaymentFailed'
    this.nothingSigned = nothingSigned
  }
}

/** Holds a lot for this wallet. Asked again, the same hold is given. Throws `ApiError`. */
export async function holdListing(listingId: string, { wallet }: Connection): Promise<Details> {
  const body = signsWithoutSending(wallet) ? { sendsThrough: 'server' as const } : null
  return (await call('buy', { params: { id: listingId }, body })).transactionDetails
}

/** Has the wallet sign the payment of a hold and sees that it is sent. Gives the transaction's signature; throws `PaymentFailed` or `ApiError`. */
export async function payHold(details: Details, connection: Connection, network: Network): Promise<string> {
  const { wallet, account } = connection
  const [{ buildPayment }, lifetime] = await Promise.all([import('./build-payment.ts'), readLatestBlockhash()])
  const payment = buildPayment({
    buyer: account.address,
    seller: details.seller,
    lamports: BigInt(details.lamports),
    reference: details.reference,
    version: transactionVersion(wallet),
    lifetime,
  })
  const chain = chainOf(network)
  if (!signsWithoutSending(wallet)) return await sendThroughWallet(() => signAndSend(wallet, account, payment, chain), details)
  const signed = await signWithin(() => signTransaction(wallet, account, payment, chain), details)
  return await handIn(details, signed)
}

async function signWithin(request: () => Promise<Uint8Array>, details: Details): Promise<Uint8Array> {
  try {
    return await answerOf(request(), details.payMillisLeft)
  } catch (error) {
    throw new PaymentFailed(`${sentence(error)}. No SOL moved.`, true, error)
  }
}

async function sendThroughWallet(request: () => Promise<Uint8Array>, details: Details): Promise<string> {
  const { base58 } = await import('@scure/base')
  try {
    return base58.encode(await answerOf(request(), details.payMillisLeft))
  } catch (error) {
    const declined = error instanceof WalletError && (error.kind === 'rejected' || error.kind === 'unauthorized' || error.kind === 'busy')
    const money = declined
      ? 'No SOL moved.'
      : 'If your wallet shows the payment as sent, do not pay again: we look for it on the chain and deliver by ourselves.'
    throw new PaymentFailed(`${sentence(error)}. ${money}`, declined, error)
  }
}

/** Hands the signed bytes to the server; the same bytes may be handed in again where no answer came. */
async function handIn(details: Details, signed: Uint8Array): Promise<string> {
  const until = Date.now() + details.payMillisLeft
  const { base64 } = await import('@scure/base')
  const transaction = base64.encode(signed)
  for (;;) {
    try {
      return (await call('submitPayment', { params: { id: details.purchaseId }, body: { transaction } })).signature
    } catch (error) {
      if (!isUnanswered(error)) throw error
      if (Date.now() > until) {
        throw new PaymentFailed(
          'The connection broke while your payment was handed in, so it is not known yet whether SOL moved. Do not pay again: this page shows the outcome as soon as the server answers.',
          false,
          error,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

/** Gives a held lot back. Gives the ended purchase; throws `ApiError`. */
export async function letGo(purchaseId: string): Promise<Purchase> {
  return (await call('letGo', { params: { id: purchaseId } })).purchase
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
