import { type Body, type Reply } from '@juicebar/contract/calls'
import { type Listing } from '@juicebar/contract/schemas'

import { buildPayment } from '../../web/src/payment/build-payment.ts'
import { askChain } from './phantom.ts'
import { LAMPORTS_PER_SOL } from './test.ts'
import { type Trader } from './trader.ts'

type Details = Reply<'purchase'>['transactionDetails']

/** Holds the only listing of a seller through the API, as a program would, and pays an amount of its own choice. */
export async function payByHand(buyer: Trader, seller: string, sol: number): Promise<void> {
  const [listing] = await listingsOf(buyer, seller)
  const { transactionDetails } = await buyer.call<Reply<'purchase'>>('POST', `marketplace/buy/${listing?._id}`)
  await send(buyer, [{ to: seller, lamports: `${sol * LAMPORTS_PER_SOL}` }], transactionDetails.reference)
}

/** Holds listings or parts of them through the API, as a program would. */
export async function holdByHand({ call }: Trader, items: Body<'purchase'>['items'], checkout?: string): Promise<Details> {
  const order = { items, transfers: true, ...(checkout !== undefined && { checkout }) }
  return (await call<Reply<'purchase'>>('POST', 'marketplace/purchases', order)).transactionDetails
}

/** Pays for what was held by hand, as agreed. */
export async function payHold(buyer: Trader, { transfers, reference }: Details): Promise<void> {
  await send(buyer, transfers, reference)
}

/** What a seller has on the market. */
export async function listingsOf({ call }: Trader, seller: string): Promise<Listing[]> {
  return (await call<Reply<'listings'>>('GET', `marketplace/listings?seller=${seller}`)).listings
}

async function send(
  { address, origin, wallet }: Trader,
  transfers: readonly { to: string; lamports: string }[],
  reference: string,
): Promise<void> {
  const { value } = (await askChain(origin, 'getLatestBlockhash', [{ commitment: 'confirmed' }])) as {
    value: { blockhash: string; lastValidBlockHeight: number }
  }
  const unsigned = buildPayment({
    from: address,
    transfers: transfers.map(({ to, lamports }) => ({ to, lamports: BigInt(lamports) })),
    reference,
    version: 0,
    lifetime: { blockhash: value.blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) },
  })
  const signed = await wallet.sign(unsigned)
  await askChain(origin, 'sendTransaction', [
    Buffer.from(signed).toString('base64'),
    { encoding: 'base64', preflightCommitment: 'confirmed' },
  ])
}
