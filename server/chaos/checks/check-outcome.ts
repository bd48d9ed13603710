import { type Journal, type JournalPayment } from '../players/journal.ts'
import { type LandedTransaction } from './chain-record.ts'
import { type CaseSeen, type ProductRecord, type PurchaseSeen } from './product-record.ts'

/** All that is known at the end of a run: what is on chain, what the clients did, and what the product shows. */
export interface Outcome {
  landed: ReadonlyMap<string, LandedTransaction>
  /** Each wallet's balance on chain. */
  lamports: ReadonlyMap<string, bigint>
  startingLamports: bigint
  /** Transactions that landed, but that the proxy hides from the product for ever. */
  rolledBack: ReadonlySet<string>
  journal: Journal
  product: ProductRecord
  wallets: ReadonlySet<string>
}

/**
 * Checks a run from the outside, without any of the product's own rules: every payment that landed is delivered or is a case that
 * both sides see, nothing is delivered without a payment, and every lamport and every token is accounted for.
 * @returns a sentence for every violation
 */
export function checkOutcome(outcome: Outcome): string[] {
  return [
    ...everyPaymentIsDeliveredOrCase(outcome),
    ...everyDeliveryIsPaid(outcome),
    ...everyListingSellsOnce(outcome),
    ...everyRefundBelongsToACase(outcome),
    ...lamportsAddUp(outcome),
    ...tokensAddUp(outcome),
    ...nothingStaysOpen(outcome),
    ...whatWasAcknowledgedHolds(outcome),
    ...outcome.journal.unexpected,
  ]
}

/** Payments between players that landed and were not rolled back. `meant` is their client's journal entry. */
function landedPayments({ landed, rolledBack, journal, wallets }: Outcome) {
  return [...landed.values()]
    .filter(
      ({ signature, transfers }) => !rolledBack.has(signature) && transfers.some(({ from, to }) => wallets.has(from) && wallets.has(to)),
    )
    .map((transaction) => ({ transaction, meant: journal.payments.get(transaction.signature) }))
}

function everyPaymentIsDeliveredOrCase(outcome: Outcome): string[] {
  const { product } = outcome
  return landedPayments(outcome).flatMap(({ transaction: { signature }, meant }) => {
    if (!meant) return [`payment ${signature} is on chain, but no client signed it`]
    if (meant.caseId !== undefined) return []
    const purchase = product.purchases.get(meant.purchaseId)
    const found = caseOf(product, meant)
    const delivered = purchase?.status === 'settled' && purchase.signature === signature
    if (!delivered && !found)
      return [`payment ${signature} of purchase ${meant.purchaseId} is neither delivered nor a case: its SOL is lost silently`]
    return found ? bothPlayersSee(product, found) : []
  })
}

function caseOf(product: ProductRecord, { signature, purchaseId }: JournalPayment): CaseSeen | undefined {
  return [...product.cases.values()].find((found) => found.signature === signature && found.purchaseId === purchaseId)
}

function bothPlayersSee({ seenBy }: ProductRecord, { caseId, buyer, seller }: CaseSeen): string[] {
  const unaware = [buyer, seller].filter((wallet) => !seenBy.get(caseId)?.has(wallet))
  return unaware.map((wallet) => `case ${caseId} is not shown to ${wallet}`)
}

function everyDeliveryIsPaid({ landed, rolledBack, product }: Outcome): string[] {
  const settled = settledPurchases(product)
  const twice = duplicates(settled.map((purchase) => purchase.signature)).map((signature) => `payment ${signature} settled two purchases`)
  const unpaid = settled.flatMap((purchase) => {
    const { purchaseId, signature, buyer, seller, lamports } = purchase
    if (signature !== null && rolledBack.has(signature)) {
      const told = [...product.cases.values()].some((found) => found.purchaseId === purchaseId && found.kind === 'vanished')
      return told ? [] : [`purchase ${purchaseId} was delivered for payment ${signature}, which was rolled back, and nobody is told`]
    }
    const transfers = landed.get(signature ?? '')?.transfers.filter(({ from, to }) => from === buyer && to === seller)
    const exact = transfers?.length === 1 && transfers[0]?.lamports === BigInt(lamports)
    return exact ? [] : [`purchase ${purchaseId} was delivered without a payment of ${lamports} lamports (${signature})`]
  })
  return [...twice, ...unpaid]
}

function everyListingSellsOnce({ product }: Outcome): string[] {
  const settled = settledPurchases(product)
  const twice = duplicates(settled.map((purchase) => purchase.listingId)).map((listing) => `listing ${listing} was sold twice`)
  const soldIds = new Set(settled.map((purchase) => purchase.listingId))
  const wrong = [...product.listings.values()].filter((listing) => (listing.status === 'sold') !== soldIds.has(listing._id))
  return [...twice, ...wrong.map((listing) => `listing ${listing._id} is ${listing.status}, but its purchases say otherwise`)]
}

function everyRefundBelongsToACase(outcome: Outcome): string[] {
  const { landed, product } = outcome
  const refunds = landedPayments(outcome).filter(({ meant }) => meant?.caseId !== undefined)
  const twice = duplicates(refunds.map(({ meant }) => meant?.caseId ?? null)).map((caseId) => `case ${caseId} was refunded twice`)
  const undue = refunds.flatMap(({ transaction, meant }) => {
    const found = product.cases.get(meant?.caseId ?? '')
    const [transfer] = transaction.transfers
    const due = found?.refundSignature === transaction.signature && found.status === 'refunded'
    const exact = transfer?.from === found?.seller && transfer?.to === found?.buyer && transfer?.lamports === BigInt(found?.lamports ?? -1)
    return due && exact ? [] : [`refund ${transaction.signature} landed, but case ${meant?.caseId} (${found?.status}) does not show it`]
  })
  const unpaid = [...product.cases.values()]
    .filter((found) => found.status === 'refunded' && !landed.has(found.refundSignature ?? ''))
    .map((found) => `case ${found.caseId} is refunded, but no refund is on chain`)
  return [...twice, ...undue, ...unpaid]
}

/** Every wallet's balance follows from the payments that the product knows and the transaction fees. */
function lamportsAddUp({ landed, lamports, startingLamports, rolledBack, product, wallets }: Outcome): string[] {
  const expected = new Map([...wallets].map((wallet) => [wallet, startingLamports]))
  const add = (wallet: string, amount: bigint) => expected.set(wallet, (expected.get(wallet) ?? 0n) + amount)
  for (const { from, to, lamports: amount } of paymentsOfProduct(product, landed, rolledBack).values()) {
    add(from, -amount)
    add(to, amount)
  }
  for (const { feePayer, fee } of landed.values()) if (wallets.has(feePayer)) add(feePayer, -fee)
  return [...expected]
    .filter(([wallet, amount]) => lamports.get(wallet) !== amount)
    .map(([wallet, amount]) => `${wallet} has ${lamports.get(wallet)} lamports, but the product's payments add up to ${amount}`)
}

/** Every payment that the product knows, by signature, and those rolled back: on the real chain they moved SOL all the same. */
function paymentsOfProduct(product: ProductRecord, landed: Outcome['landed'], rolledBack: ReadonlySet<string>) {
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
    const [transfer] = landed.get(signature)?.transfers ?? []
    if (transfer) payments.set(signature, transfer)
  }
  return payments
}

function tokensAddUp({ journal, product }: Outcome): string[] {
  const expected = new Map(journal.credits)
  const add = (wallet: string, token: string, amount: number) =>
    expected.set(`${wallet} ${token}`, (expected.get(`${wallet} ${token}`) ?? 0) + amount)
  for (const { seller, tokenType, amount, status } of product.listings.values()) if (status !== 'removed') add(seller, tokenType, -amount)
  for (const { buyer, tokenType, amount } of settledPurchases(product)) add(buyer, tokenType, amount)
  return [...product.balances]
    .filter(([key, amount]) => amount !== (expected.get(key) ?? 0))
    .map(([key, amount]) => `${key}: the balance is ${amount} and should be ${expected.get(key) ?? 0}`)
}

function nothingStaysOpen({ product }: Outcome): string[] {
  const held = [...product.purchases.values()].filter((purchase) => purchase.status === 'held')
  const refunding = [...product.cases.values()].filter((found) => found.status === 'refunding')
  return [
    ...held.map((purchase) => `purchase ${purchase.purchaseId} still holds its listing`),
    ...refunding.map((found) => `case ${found.caseId} is still being refunded`),
  ]
}

/** Whatever dies after the product said that something is done, it stays done. */
function whatWasAcknowledgedHolds({ journal, product }: Outcome): string[] {
  const { listed, removed, delivered } = journal.acknowledged
  return [
    ...[...listed].filter((id) => !product.listings.has(id)).map((id) => `listing ${id} was created and is lost`),
    ...[...removed]
      .filter((id) => product.listings.get(id)?.status !== 'removed')
      .map((id) => `listing ${id} was removed and is ${product.listings.get(id)?.status}`),
    ...[...journal.holds.keys()].filter((id) => !product.purchases.has(id)).map((id) => `purchase ${id} was held and is lost`),
    ...[...delivered]
      .filter((id) => product.purchases.get(id)?.status !== 'settled')
      .map((id) => `purchase ${id} was delivered and is ${product.purchases.get(id)?.status}`),
  ]
}

function settledPurchases({ purchases }: ProductRecord): PurchaseSeen[] {
  return [...purchases.values()].filter((purchase) => purchase.status === 'settled')
}

function duplicates(items: readonly (string | null)[]): string[] {
  const known = items.filter((item) => item !== null)
  return [...new Set(known.filter((item, index) => known.indexOf(item) !== index))]
}
