import { type Listing } from '@juicebar/contract/schemas'

import { buildPayment } from '../../web/src/payment/build-payment.ts'
import { askChain } from './phantom.ts'
import { LAMPORTS_PER_SOL, type Player } from './test.ts'

/** Holds the only listing of a seller through the API, as a program would, and pays an amount of its own choice. */
export async function payByHand(buyer: Player, seller: string, origin: string, sol: number): Promise<void> {
  const jwt = await buyer.page.evaluate(() => localStorage.getItem('jwt_token'))
  const headers = { authorization: `Bearer ${jwt}` }
  const { listings } = (await (await buyer.page.request.get(`/api/marketplace/listings?seller=${seller}`)).json()) as {
    listings: Listing[]
  }
  const hold = await buyer.page.request.post(`/api/marketplace/buy/${listings[0]?._id}`, { headers })
  const { transactionDetails } = (await hold.json()) as { transactionDetails: { reference: string } }
  const { value } = (await askChain(origin, 'getLatestBlockhash', [{ commitment: 'confirmed' }])) as {
    value: { blockhash: string; lastValidBlockHeight: number }
  }
  const unsigned = buildPayment({
    from: buyer.address,
    transfers: [{ to: seller, lamports: BigInt(sol * LAMPORTS_PER_SOL) }],
    reference: transactionDetails.reference,
    version: 0,
    lifetime: { blockhash: value.blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) },
  })
  const signed = await buyer.phantom.sign(unsigned)
  await askChain(origin, 'sendTransaction', [
    Buffer.from(signed).toString('base64'),
    { encoding: 'base64', preflightCommitment: 'confirmed' },
  ])
}
