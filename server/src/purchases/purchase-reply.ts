import { lamportsToSol } from '@juicebar/contract/money'
import { type Reply } from '@juicebar/contract/calls'
import { type Purchase } from '@juicebar/contract/schemas'
import { tokenName } from '@juicebar/contract/token-types'

import { type HeldPurchase } from './hold/hold-store.ts'
import { type PaymentRow } from './payment/payment-store.ts'
import { type PurchaseRow } from './purchase-store.ts'

/** A purchase with all that a reply says of it. */
export interface ReplyRow extends PurchaseRow {
  /** The payment that is recorded for it and has not settled it. */
  sentSignature: PaymentRow['signature'] | null
  confirmedAt: Date | null
  /** Whole milliseconds, by the database's clock; 0 unless it is held. */
  payMillisLeft: number
  /** Null unless the purchase ended and its buyer cannot hold the listing now. */
  cooldownUntil: Date | null
}

/** A purchase as the API returns it. `genesisHash` marks those of an earlier local chain; undefined marks none. */
export function purchaseReply(row: ReplyRow, genesisHash: string | undefined): Purchase {
  return {
    purchaseId: row.id,
    listingId: row.listingId,
    buyer: row.buyer,
    seller: row.seller,
    tokenType: row.tokenType,
    tokenName: tokenName(row.tokenType),
    amount: Number(row.amount),
    price: lamportsToSol(row.priceLamports),
    lamports: row.priceLamports.toString(),
    status: row.status,
    endReason: row.endReason,
    waitsForStudio: row.status === 'held' && row.unprovableAt !== null,
    releaseReason: row.releaseReason,
    stage: stageOf(row),
    signature: row.signature ?? row.sentSignature,
    reference: row.reference,
    sendsThrough: row.serverSends ? 'server' : 'wallet',
    payBefore: row.payBefore.toISOString(),
    payMillisLeft: row.payMillisLeft,
    cooldownUntil: row.cooldownUntil?.toISOString() ?? null,
    earlierChain: genesisHash !== undefined && row.genesisHash !== genesisHash,
    finalized: row.finalizedAt !== null,
    createdAt: row.createdAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  }
}

/** What a buyer has to know to pay for a hold. */
export function transactionDetails(hold: HeldPurchase): Reply<'buy'>['transactionDetails'] {
  return {
    purchaseId: hold.id,
    listingId: hold.listingId,
    seller: hold.seller,
    price: lamportsToSol(hold.priceLamports),
    lamports: hold.priceLamports.toString(),
    reference: hold.reference,
    payBefore: hold.payBefore.toISOString(),
    payMillisLeft: hold.payMillisLeft,
  }
}

function stageOf(row: ReplyRow): Purchase['stage'] {
  if (row.status === 'settled') return 'delivered'
  if (row.sentSignature === null) return 'none'
  return row.confirmedAt === null ? 'sent' : 'confirmed'
}
