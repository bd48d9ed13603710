import { lamportsToSol } from '@juicebar/contract/money'
import { type Reply } from '@juicebar/contract/calls'
import { type Purchase } from '@juicebar/contract/schemas'
import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type HeldPurchase } from '../hold/hold-store.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { amountOf, firstItem, transfersOf } from '../purchase/purchase.ts'
import { type PurchaseRow } from '../purchase/purchase-store.ts'
import { type AbandonmentRow, cooldownUntil, readAbandonments } from '../reservation/reservation.ts'

/** A purchase with everything that a reply contains. */
export interface ReplyRow extends PurchaseRow {
  /** The payment that is recorded for it and has not settled it. */
  sentSignature: PaymentRow['signature'] | null
  confirmedAt: Date | null
  /** Whole milliseconds, by the database's clock; 0 unless it is held. */
  payMillisLeft: number
  /** What its buyer has lately left unpaid; null unless this purchase may belong to that. */
  abandoned: AbandonmentRow[] | null
  /** By the database's clock. */
  readAt: Date
}

/** The parts of a reply that are not in the row. */
export interface ReplyContext {
  catalogue: Pick<Catalogue, 'nameOf'>
  /** Of the chain that is served; undefined if not known. Purchases on a different chain are marked as those of an earlier local chain. */
  genesisHash: string | undefined
}

/** A purchase as the API returns it. */
export function purchaseReply(row: ReplyRow, { catalogue, genesisHash }: ReplyContext): Purchase {
  const { tokenType } = firstItem(row.items)
  return {
    purchaseId: row.id,
    buyer: row.buyer,
    ...itemFields(row, catalogue),
    tokenType,
    tokenName: catalogue.nameOf(tokenType),
    amount: amountOf(row.items),
    status: row.status,
    endReason: row.endReason,
    waitsForStudio: row.status === 'held' && row.unprovableAt !== null,
    releaseReason: row.releaseReason,
    stage: stageOf(row),
    signature: row.signature ?? row.sentSignature,
    reference: row.reference,
    coSigned: row.coSigned,
    sendsThrough: row.serverSends ? 'server' : 'wallet',
    payBefore: row.payBefore.toISOString(),
    payMillisLeft: row.payMillisLeft,
    cooldownUntil: cooldownOf(row)?.toISOString() ?? null,
    earlierChain: genesisHash !== undefined && row.genesisHash !== genesisHash,
    finalized: row.finalizedAt !== null,
    createdAt: row.createdAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  }
}

/** What a buyer needs to know to pay for a hold. */
export function transactionDetails(hold: HeldPurchase, catalogue: ReplyContext['catalogue']): Reply<'buy'>['transactionDetails'] {
  return {
    purchaseId: hold.id,
    ...itemFields(hold, catalogue),
    transfers: transfersOf(hold).map((transfer) => ({ ...transfer, lamports: transfer.lamports.toString() })),
    reference: hold.reference,
    payBefore: hold.payBefore.toISOString(),
    payMillisLeft: hold.payMillisLeft,
  }
}

/** The fields that a purchase and its payment details share. A client that knows only one item finds it in the old fields. */
function itemFields(
  { items, priceLamports, feeLamports, feeBasisPoints }: Pick<PurchaseRow, 'items' | 'priceLamports' | 'feeLamports' | 'feeBasisPoints'>,
  { nameOf }: ReplyContext['catalogue'],
) {
  const { listingId, seller } = firstItem(items)
  return {
    listingId,
    seller,
    price: lamportsToSol(priceLamports),
    lamports: priceLamports.toString(),
    items: items.map((item) => ({ ...item, tokenName: nameOf(item.tokenType), price: lamportsToSol(BigInt(item.lamports)) })),
    fee: { lamports: feeLamports.toString(), basisPoints: feeBasisPoints },
  }
}

/** Until when the buyer cannot reserve the listings of an ended purchase again; undefined if that is possible. */
function cooldownOf({ abandoned, items, readAt }: ReplyRow): Date | undefined {
  if (abandoned === null) return undefined
  const abandonments = readAbandonments(abandoned)
  const cooldowns = items.map(({ listingId, partOf }) => cooldownUntil(abandonments, partOf ?? listingId) ?? readAt)
  const last = new Date(Math.max(...cooldowns.map((until) => until.getTime())))
  return last > readAt ? last : undefined
}

function stageOf(row: ReplyRow): Purchase['stage'] {
  if (row.status === 'settled') return 'delivered'
  if (row.sentSignature === null) return 'none'
  return row.confirmedAt === null ? 'sent' : 'confirmed'
}
