import { type AcceptedTransaction } from './chain-record.ts'
import { type Journal, type SignedPayment } from '../players/journal.ts'
import { type CaseSeen, type ProductRecord, type PurchaseSeen } from './product-record.ts'

/** All that is known when a run is over: what the chain shows, what the clients did, and what the product says. */
export interface Evidence {
  chain: ReadonlyMap<string, AcceptedTransaction>
  /** Lamports in each wallet, asked of the chain. */
  lamports: ReadonlyMap<string, bigint>
  startingLamports: bigint
  /** Accepted by the chain, and denied to the product for ever. */
  rolledBack: ReadonlySet<string>
  journal: Journal
  product: ProductRecord
  wallets: ReadonlySet<string>
}

/**
 * Checks a run from the outside, without any rule of the product's own: every payment that the chain accepted is delivered or stands
 * in a case that both sides see, nothing is delivered without one, every lamport of a seller and every token is accounted for.
 * Gives a sentence for everything that does not add up.
 */
export function checkOutcome(evidence: Evidence): string[] {
  return [
    ...everyPaymentCounts(evidence),
    ...everyDeliveryIsPaid(evidence),
    ...everyLotSellsOnce(evidence),
    ...everyRefundIsDue(evidence),
    ...lamportsAddUp(evidence),
    ...tokensAddUp(evidence),
    ...nothingStaysOpen(evidence),
    ...evidence.journal.surprises,
  ]
}

/** Payments among the players that the chain accepted and that were not rolled back, with what their client meant by them. */
function acceptedPayments({ chain, rolledBack, journal, wallets }: Evidence) {
  return [...chain.values()]
    .filter(
      ({ signature, transfers }) => !rolledBack.has(signature) && transfers.some(({ from, to }) => wallets.has(from) && wallets.has(to)),
    )
    .map((transaction) => ({ transaction, meant: journal.payments.get(transaction.signature) }))
}

function everyPaymentCounts(evidence: Evidence): string[] {
  const { product } = evidence
  return acceptedPayments(evidence).flatMap(({ transaction: { signature }, meant }) => {
    if (!meant) return [`the chain shows a payment that no client signed: ${signature}`]
    if (meant.caseId !== undefined) return []
    const purchase = product.purchases.get(meant.purchaseId)
    const found = caseOf(product, meant)
    const delivered = purchase?.status === 'settled' && purchase.signature === signature
    if (!delivered && !found)
      return [`payment ${signature} of purchase ${meant.purchaseId} is neither delivered nor a case: SOL is lost in silence`]
    return found ? bothSee(product, found) : []
  })
}

function caseOf(product: ProductRecord, { signature, purchaseId }: SignedPayment): CaseSeen | undefined {
  return [...product.cases.values()].find((found) => found.signature === signature && found.purchaseId === purchaseId)
}

function bothSee({ seenBy }: ProductRecord, { caseId, buyer, seller }: CaseSeen): string[] {
  const blind = [buyer, seller].filter((wallet) => !seenBy.get(caseId)?.has(wallet))
  return blind.map((wallet) => `case ${caseId} is not shown to ${wallet}`)
}

function everyDeliveryIsPaid({ chain, rolledBack, product }: Evidence): string[] {
  const settled = settledPurchases(product)
  const twice = duplicates(settled.map((purchase) => purchase.signature)).map((signature) => `payment ${signature} settled two purchases`)
  const unpaid = settled.flatMap((purchase) => {
    const { purchaseId, signature, buyer, seller, lamports } = purchase
    if (signature !== null && rolledBack.has(signature)) {
      const told = [...product.cases.values()].some((found) => found.purchaseId === purchaseId && found.kind === 'vanished')
      return told ? [] : [`purchase ${purchaseId} was delivered for payment ${signature}, which the chain took back, and nobody is told`]
    }
    const transfers = chain.get(signature ?? '')?.transfers.filter(({ from, to }) => from === buyer && to === seller)
    const exact = transfers?.length === 1 && transfers[0]?.lamports === BigInt(lamports)
    return exact ? [] : [`purchase ${purchaseId} was delivered without a payment of ${lamports} lamports (${signature})`]
  })
  return [...twice, ...unpaid]
}

function everyLotSellsOnce({ product }: Evidence): string[] {
  const settled = settledPurchases(product)
  const twice = duplicates(settled.map((purchase) => purchase.listingId)).map((listing) => `listing ${listing} was sold twice`)
  const soldIds = new Set(settled.map((purchase) => purchase.listingId))
  const wrong = [...product.listings.values()].filter((listing) => (listing.status === 'sold') !== soldIds.has(listing._id))
  return [...twice, ...wrong.map((listing) => `listing ${listing._id} is ${listing.status}, which its purchases deny`)]
}

function everyRefundIsDue(evidence: Evidence): string[] {
  const { chain, product } = evidence
  const landed = acceptedPayments(evidence).filter(({ meant }) => meant?.caseId !== undefined)
  const twice = duplicates(landed.map(({ meant }) => meant?.caseId ?? null)).map((caseId) => `case ${caseId} was refunded twice`)
  const undue = landed.flatMap(({ transaction, meant }) => {
    const found = product.cases.get(meant?.caseId ?? '')
    const [transfer] = transaction.transfers
    const due = found?.refundSignature === transaction.signature && found.status === 'refunded'
    const exact = transfer?.from === found?.seller && transfer?.to === found?.buyer && transfer?.lamports === BigInt(found?.lamports ?? -1)
    return due && exact ? [] : [`refund ${transaction.signature} landed, and case ${meant?.caseId} (${found?.status}) does not show it`]
  })
  const unpaid = [...product.cases.values()]
    .filter((found) => found.status === 'refunded' && !chain.has(found.refundSignature ?? ''))
    .map((found) => `case ${found.caseId} is called refunded without a refund on the chain`)
  return [...twice, ...undue, ...unpaid]
}

/** What a seller earned is the sum of what was delivered and what stands in cases, less what was paid back and its fees. */
function lamportsAddUp({ chain, lamports, startingLamports, rolledBack, product, wallets }: Evidence): string[] {
  const expected = new Map([...wallets].map((wallet) => [wallet, startingLamports]))
  const add = (wallet: string, amount: bigint) => expected.set(wallet, (expected.get(wallet) ?? 0n) + amount)
  for (const { from, to, lamports: amount } of paymentsByProduct(product, chain, rolledBack).values()) {
    add(from, -amount)
    add(to, amount)
  }
  for (const { feePayer, fee } of chain.values()) if (wallets.has(feePayer)) add(feePayer, -fee)
  return [...expected]
    .filter(([wallet, amount]) => lamports.get(wallet) !== amount)
    .map(([wallet, amount]) => `${wallet} owns ${lamports.get(wallet)} lamports, by what the product says it should be ${amount}`)
}

/** Every payment that the product knows of, once, by its signature. What was rolled back moved SOL behind its back. */
function paymentsByProduct(product: ProductRecord, chain: Evidence['chain'], rolledBack: ReadonlySet<string>) {
  const payments = new Map<string, { from: string; to: string; lamports: bigint }>()
  for (const { signature, buyer, seller, lamports } of settledPurchases(product)) {
    if (signature !== null) payments.set(signature, { from: buyer, to: seller, lamports: BigInt(lamports) })
  }
  for (const { signature, buyer, seller, lamports, refundSignature, status } of product.cases.values()) {
    payments.set(signature, { from: buyer, to: seller, lamports: BigInt(lamports) })
    if (status === 'refunded' && refundSignature !== null)
      payments.set(refundSignature, { from: seller, to: buyer, lamports: BigInt(lamports) })
  }
  for (const signature of rolledBack) {
    const [transfer] = chain.get(signature)?.transfers ?? []
    if (transfer) payments.set(signature, transfer)
  }
  return payments
}

function tokensAddUp({ journal, product }: Evidence): string[] {
  const expected = new Map(journal.credits)
  const add = (wallet: string, token: string, amount: number) =>
    expected.set(`${wallet} ${token}`, (expected.get(`${wallet} ${token}`) ?? 0) + amount)
  for (const { seller, tokenType, amount, status } of product.listings.values()) if (status !== 'removed') add(seller, tokenType, -amount)
  for (const { buyer, tokenType, amount } of settledPurchases(product)) add(buyer, tokenType, amount)
  return [...product.balances]
    .filter(([key, amount]) => amount !== (expected.get(key) ?? 0))
    .map(([key, amount]) => `${key}: there are ${amount}, there should be ${expected.get(key) ?? 0}`)
}

function nothingStaysOpen({ product }: Evidence): string[] {
  const held = [...product.purchases.values()].filter((purchase) => purchase.status === 'held')
  const refunding = [...product.cases.values()].filter((found) => found.status === 'refunding')
  return [
    ...held.map((purchase) => `purchase ${purchase.purchaseId} still holds its lot`),
    ...refunding.map((found) => `case ${found.caseId} is still being refunded`),
  ]
}

function settledPurchases({ purchases }: ProductRecord): PurchaseSeen[] {
  return [...purchases.values()].filter((purchase) => purchase.status === 'settled')
}

function duplicates(items: readonly (string | null)[]): string[] {
  const known = items.filter((item) => item !== null)
  return [...new Set(known.filter((item, index) => known.indexOf(item) !== index))]
}
