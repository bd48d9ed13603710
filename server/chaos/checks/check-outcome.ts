import { type Journal, type JournalPayment } from '../players/journal.ts'
import { checkAgreedPrices } from './agreed-prices.ts'
import { type ChainRecord } from './chain-record.ts'
import { agreedTransfers, type CaseSeen, type ProductRecord, type PurchaseSeen } from './product-record.ts'

/** All that is known at the end of a run: what is on chain, what the clients did, and what the product shows. */
export interface Outcome extends ChainRecord {
  /** Each wallet's balance on chain. */
  lamports: ReadonlyMap<string, bigint>
  startingLamports: bigint
  /** Transactions that landed, but that the proxy hides from the product for ever. */
  rolledBack: ReadonlySet<string>
  /** Transactions that had landed, and are not on the chain any more, as a fork has been abandoned with them. */
  forked: ReadonlySet<string>
  journal: Journal
  product: ProductRecord
  wallets: ReadonlySet<string>
  /** Where attackers send their SOL meanwhile. */
  vaults: ReadonlySet<string>
  /** The studio's, which trades nothing. */
  feeWallet: string
  /** The key with which the market completes payments. */
  coSigner: string
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
    ...checkCoSigner(outcome),
    ...checkAgreedPrices(outcome.product, outcome.journal, outcome.feeWallet),
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
  return landedPayments(outcome).flatMap(({ transaction: { signature, transfers }, meant }) => {
    if (!meant) return [`payment ${signature} is on chain, but no client signed it`]
    if (meant.caseId !== undefined) return []
    const purchase = purchaseOf(product, meant)
    const found = casesOf(product, meant)
    const delivered = purchase?.status === 'settled' && purchase.signature === signature
    const told = new Set(found.map(({ seller }) => seller))
    const silent = delivered ? [] : transfers.filter(({ to }) => !told.has(to) && (to !== outcome.feeWallet || told.size === 0))
    return [
      ...silent.map(({ to }) => `payment ${signature} of purchase ${purchase?.purchaseId} to ${to} is neither delivered nor a case`),
      ...found.flatMap((each) => bothPlayersSee(product, each)),
    ]
  })
}

/** Who signed what only the market can send may never have heard of the purchase. */
function purchaseOf({ purchases }: ProductRecord, { signature, purchaseId }: JournalPayment): PurchaseSeen | undefined {
  return purchaseId === undefined ? [...purchases.values()].find((found) => found.signature === signature) : purchases.get(purchaseId)
}

function casesOf(product: ProductRecord, { signature, purchaseId }: JournalPayment): CaseSeen[] {
  return [...product.cases.values()].filter(
    (found) => found.signature === signature && (purchaseId === undefined || found.purchaseId === purchaseId),
  )
}

function bothPlayersSee({ seenBy }: ProductRecord, { caseId, buyer, seller }: CaseSeen): string[] {
  const unaware = [buyer, seller ?? buyer].filter((wallet) => !seenBy.get(caseId)?.has(wallet))
  return unaware.map((wallet) => `case ${caseId} is not shown to ${wallet}`)
}

function everyDeliveryIsPaid({ landed, rolledBack, forked, product, feeWallet }: Outcome): string[] {
  const settled = settledPurchases(product)
  const twice = duplicates(settled.map((purchase) => purchase.signature)).map((signature) => `payment ${signature} settled two purchases`)
  const unpaid = settled.flatMap((purchase) => {
    const { purchaseId, signature, buyer } = purchase
    if (signature !== null && (rolledBack.has(signature) || forked.has(signature))) {
      const told = [...product.cases.values()].some((found) => found.purchaseId === purchaseId && found.kind === 'vanished')
      return told ? [] : [`purchase ${purchaseId} was delivered for payment ${signature}, which was rolled back, and nobody is told`]
    }
    const paid = landed.get(signature ?? '')?.transfers.filter(({ from }) => from === buyer) ?? []
    const [agreed, made] = [agreedTransfers(purchase, feeWallet), paid].map((transfers) =>
      transfers.map(transferText).toSorted().join(', '),
    )
    return agreed === made ? [] : [`purchase ${purchaseId} was delivered for ${made || 'nothing'} instead of ${agreed} (${signature})`]
  })
  return [...twice, ...unpaid]
}

function transferText({ to, lamports }: { to: string; lamports: bigint }): string {
  return `${lamports} lamports to ${to}`
}

function everyListingSellsOnce({ product }: Outcome): string[] {
  const sold = settledPurchases(product).flatMap(({ items }) => items.map(({ listingId }) => listingId))
  const twice = duplicates(sold).map((listing) => `listing ${listing} was sold twice`)
  const soldIds = new Set(sold)
  const wrong = [...product.listings.values()].filter((listing) => (listing.status === 'sold') !== soldIds.has(listing._id))
  return [...twice, ...wrong.map((listing) => `listing ${listing._id} is ${listing.status}, but its purchases say otherwise`)]
}

function everyRefundBelongsToACase(outcome: Outcome): string[] {
  const { landed, forked, product } = outcome
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
  const forNothing = [...product.cases.values()]
    .filter((found) => found.status === 'refunded' && forked.has(found.signature))
    .map((found) => `case ${found.caseId} is refunded, but its payment is not on the chain any more`)
  return [...twice, ...undue, ...unpaid, ...forNothing]
}

/** Every wallet's balance follows from the payments that the product knows and the transaction fees. */
function lamportsAddUp(outcome: Outcome): string[] {
  const { landed, failed, lamports, startingLamports, wallets, vaults, feeWallet } = outcome
  const expected = new Map([...wallets, feeWallet].map((wallet) => [wallet, startingLamports]))
  for (const vault of vaults) expected.set(vault, 0n)
  const add = (wallet: string, amount: bigint) => expected.set(wallet, (expected.get(wallet) ?? 0n) + amount)
  for (const { from, to, lamports: amount } of movementsOfProduct(outcome).values()) {
    add(from, -amount)
    add(to, amount)
  }
  for (const { feePayer, fee } of [...landed.values(), ...failed]) if (expected.has(feePayer)) add(feePayer, -fee)
  return [...expected]
    .filter(([wallet, amount]) => lamports.get(wallet) !== amount)
    .map(([wallet, amount]) => `${wallet} has ${lamports.get(wallet)} lamports, but the product's payments add up to ${amount}`)
}

interface Movement {
  from: string
  to: string
  lamports: bigint
}

/**
 * Every transfer that the product knows, each once; those rolled back, which on the real chain moved SOL all the same, unlike those that a
 * fork took with it; and what attackers moved between wallets of their own.
 */
function movementsOfProduct({ product, journal, landed, rolledBack, forked, feeWallet }: Outcome): Map<string, Movement> {
  const movements = new Map<string, Movement>()
  const add = (signature: string | null, movement: Movement) => {
    if (signature !== null && movement.lamports > 0n && !forked.has(signature)) movements.set(`${signature} ${movement.to}`, movement)
  }
  for (const purchase of settledPurchases(product)) {
    for (const transfer of agreedTransfers(purchase, feeWallet)) add(purchase.signature, transfer)
  }
  for (const { signature, buyer, seller, lamports, fee, refundSignature, status } of product.cases.values()) {
    if (seller !== null) add(signature, { from: buyer, to: seller, lamports: BigInt(lamports) })
    if (fee) add(signature, { from: buyer, to: feeWallet, lamports: BigInt(fee.lamports) })
    if (status === 'refunded' && seller !== null) add(refundSignature, { from: seller, to: buyer, lamports: BigInt(lamports) })
  }
  for (const signature of [...rolledBack, ...journal.drains])
    for (const transfer of landed.get(signature)?.transfers ?? []) add(signature, transfer)
  return movements
}

function tokensAddUp({ journal, product }: Outcome): string[] {
  const expected = new Map(journal.credits)
  const add = (wallet: string, token: string, amount: number) =>
    expected.set(`${wallet} ${token}`, (expected.get(`${wallet} ${token}`) ?? 0) + amount)
  for (const { seller, tokenType, amount, status } of product.listings.values()) if (status !== 'removed') add(seller, tokenType, -amount)
  for (const { buyer, items } of settledPurchases(product)) for (const { tokenType, amount } of items) add(buyer, tokenType, amount)
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
    ...[...listed.keys()].filter((id) => !product.listings.has(id)).map((id) => `listing ${id} was created and is lost`),
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
  const counts = new Map<string, number>()
  for (const item of known) counts.set(item, (counts.get(item) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > 1).map(([item]) => item)
}

/**
 * What the market has signed on the chain is exactly what it sold so, and what became a case. What it refused, never got, or never signed
 * is not on the chain, and of several signatures of a message one is.
 * @returns a sentence for every violation
 */
export function checkCoSigner(outcome: Pick<Outcome, 'landed' | 'rolledBack' | 'forked' | 'journal' | 'product' | 'coSigner'>): string[] {
  return [...everySignatureIsTold(outcome), ...everySaleIsSigned(outcome), ...nothingElseLands(outcome), ...everyMessageLandsOnce(outcome)]
}

type Given = Parameters<typeof checkCoSigner>[0]

function everySignatureIsTold({ landed, rolledBack, product, coSigner }: Given): string[] {
  const sold = new Set(coSignedSales(product).map(({ signature }) => signature))
  const cases = new Set([...product.cases.values()].map(({ signature }) => signature))
  return [...landed.values()]
    .filter(({ signature, signers }) => signers.includes(coSigner) && !rolledBack.has(signature))
    .filter(({ signature }) => !sold.has(signature) && !cases.has(signature))
    .map(({ signature }) => `the market has signed ${signature}, which is neither a purchase nor a case`)
}

function everySaleIsSigned({ landed, forked, product, coSigner }: Given): string[] {
  return coSignedSales(product)
    .filter(({ signature }) => !forked.has(signature ?? ''))
    .filter(({ signature }) => !landed.get(signature ?? '')?.signers.includes(coSigner))
    .map(({ purchaseId, signature }) => `purchase ${purchaseId} was delivered for ${signature}, which the market has not signed`)
}

function coSignedSales({ purchases }: Given['product']) {
  return [...purchases.values()].filter(({ status, coSigned }) => status === 'settled' && coSigned)
}

function nothingElseLands({ landed, journal: { coSigned } }: Given): string[] {
  const original = (signature: string) => coSigned.copies.get(signature) ?? signature
  return [...landed.keys()].flatMap((signature) => {
    const code = coSigned.refused.get(original(signature))
    const kept = coSigned.kept.has(signature)
    return [
      ...(code === undefined ? [] : [`payment ${signature} was refused (${code}) and is on the chain`]),
      ...(kept ? [`payment ${signature} was never submitted and is on the chain`] : []),
    ]
  })
}

function everyMessageLandsOnce({ landed, journal: { coSigned } }: Given): string[] {
  return [...coSigned.copies]
    .filter(([copy, first]) => landed.has(copy) && landed.has(first))
    .map(([copy, first]) => `${copy} and ${first} are one message, and both are on the chain`)
}
