import { type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { type FeeTerms } from '../purchase/purchase.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { type PaymentName, type Refusal } from '../reservation/order.ts'
import { type PlannedItem, type ReservationPlan } from '../reservation/reservation.ts'

/** A reservation, besides what was decided. */
export interface NewReservation extends PaymentName, Pick<PaymentRow, 'signature' | 'transactionBytes' | 'genesisHash' | 'expiryHeight'> {
  buyer: WalletAddress
  fee: FeeTerms
  /** Where it was simulated. */
  slot: bigint
  /** How long the bytes can land, at most: an estimate. */
  liveSeconds: number
}

/**
 * Reserves what was decided, under its locks, and records the complete bytes: `write_co_signed` in functions/reservations.sql.
 * @returns the purchase's identifier
 */
export async function insertReservation(
  tx: Tx,
  { items, lamports, feeLamports, received }: ReservationPlan,
  reservation: NewReservation,
): Promise<string> {
  const { buyer, fee, reference, genesisHash, slot, signature, messageHash, transactionBytes, expiryHeight, liveSeconds } = reservation
  const column = <T>(valueOf: (item: PlannedItem) => T) => items.map(valueOf)
  const { rows } = await sql<{ id: string }>`
    select write_co_signed(
      ${buyer}, ${[...received.keys()]}, ${lamports}, ${fee.basisPoints}, ${feeLamports}, ${fee.wallet ?? null},
      ${reference}, ${genesisHash}, ${slot},
      ${column(({ listingId }) => listingId)}::uuid[], ${column(({ amount }) => amount)}::bigint[],
      ${column((item) => item.lamports)}::bigint[],
      ${signature}, ${messageHash}, ${transactionBytes}, ${expiryHeight}, ${liveSeconds}
    ) as id`.execute(tx)
  if (!rows[0]) throw new Error('the database did not keep a reservation')
  return rows[0].id
}

/** Records that a payment was refused, so that it is never sent, until its bytes have expired. */
export async function insertRefusal(
  tx: Tx,
  buyer: WalletAddress,
  { messageHash, reference }: PaymentName,
  { code, detail, listingId }: Pick<Refusal, 'code' | 'detail' | 'listingId'>,
  { expiryHeight, checkoutId }: { expiryHeight: bigint; checkoutId: string | undefined },
): Promise<void> {
  await sql`
    insert into refused_payments (message_hash, buyer, reference, code, detail, listing_id, expiry_height, checkout_id)
    values (${messageHash}, ${buyer}, ${reference}, ${code}, ${detail ?? null}, ${listingId ?? null}, ${expiryHeight},
      ${checkoutId ?? null})`.execute(tx)
}

/** Deletes refusals a week old: their bytes expired about a minute after they were signed, even if the chain has stood still for days. */
export async function deleteOldRefusals(database: Database): Promise<void> {
  await sql`delete from refused_payments where refused_at < now() - interval '7 days'`.execute(database)
}
