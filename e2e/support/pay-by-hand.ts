import { type Body, type Reply } from '@juicebar/contract/calls'
import { type Listing } from '@juicebar/contract/schemas'

import { buildPayment } from '../../web/src/payment/build-payment.ts'
import { askChain } from './phantom.ts'
import { LAMPORTS_PER_SOL, type Player } from './test.ts'

type Details = Reply<'purchase'>['transactionDetails']

/** Holds the only listing of a seller through the API, as a program would, and pays an amount of its own choice. */
export async function payByHand(buyer: Player, seller: string, origin: string, sol: number): Promise<void> {
  const [listing] = await listingsOf(buyer, seller)
  const hold = await buyer.page.request.post(`/api/marketplace/buy/${listing?._id}`, { headers: await sessionOf(buyer) })
  const { transactionDetails } = (await hold.json()) as { transactionDetails: Details }
  await send(buyer, origin, [{ to: seller, lamports: `${sol * LAMPORTS_PER_SOL}` }], transactionDetails.reference)
}

/** Holds listings or parts of them through the API, as a program would. */
export async function holdByHand(buyer: Player, items: Body<'purchase'>['items']): Promise<Details> {
  const hold = await buyer.page.request.post('/api/marketplace/purchases', {
    headers: await sessionOf(buyer),
    data: { items, transfers: true },
  })
  if (!hold.ok()) throw new Error(await hold.text())
  return ((await hold.json()) as { transactionDetails: Details }).transactionDetails
}

/** Pays for what was held by hand, as agreed. */
export async function payHold(buyer: Player, { transfers, reference }: Details, origin: string): Promise<void> {
  await send(buyer, origin, transfers, reference)
}

/** What a seller has on the market. */
export async function listingsOf(player: Player, seller: string): Promise<Listing[]> {
  const reply = await player.page.request.get(`/api/marketplace/listings?seller=${seller}`)
  return ((await reply.json()) as { listings: Listing[] }).listings
}

async function sessionOf({ page }: Player): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await page.evaluate(() => localStorage.getItem('jwt_token'))}` }
}

async function send(
  buyer: Player,
  origin: string,
  transfers: readonly { to: string; lamports: string }[],
  reference: string,
): Promise<void> {
  const { value } = (await askChain(origin, 'getLatestBlockhash', [{ commitment: 'confirmed' }])) as {
    value: { blockhash: string; lastValidBlockHeight: number }
  }
  const unsigned = buildPayment({
    from: buyer.address,
    transfers: transfers.map(({ to, lamports }) => ({ to, lamports: BigInt(lamports) })),
    reference,
    version: 0,
    lifetime: { blockhash: value.blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) },
  })
  const signed = await buyer.phantom.sign(unsigned)
  await askChain(origin, 'sendTransaction', [
    Buffer.from(signed).toString('base64'),
    { encoding: 'base64', preflightCommitment: 'confirmed' },
  ])
}
