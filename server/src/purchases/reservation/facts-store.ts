import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { type TokenRule } from '../../restrictions/restriction.ts'
import { type PurchaseItem } from '../purchase/purchase.ts'
import {
  type AbandonmentRow,
  readAbandonments,
  type CheckoutFacts,
  type KnownPayment,
  type ListingFacts,
  type OpenPurchase,
  type ReservationFacts,
} from './reservation.ts'
import { type BuyOrder } from './order.ts'

type Texts<T, Key extends keyof T> = Omit<T, Key> & Record<Key, string>
type UnitLimits = 'minUnitLamports' | 'maxUnitLamports' | 'maxDailyLamports'

/** The facts as JSON carries them: lamports are texts. */
interface FactsRow extends Pick<ReservationFacts, 'restriction' | 'hasBought' | 'networkItems'> {
  now: string
  listings: Texts<ListingFacts, 'lamports' | 'wholeLamports'>[]
  rules: (Omit<TokenRule, UnitLimits> & Record<UnitLimits, string | null>)[]
  boughtToday: Record<TokenType, string>
  open: (Omit<OpenPurchase, 'items' | 'lamports' | 'fee'> & {
    items: PurchaseItem[]
    lamports: string
    fee: { lamports: string; basisPoints: number }
  })[]
  abandoned: AbandonmentRow[]
  failed: string[]
  balances: Record<TokenType, number>
  known: (KnownPayment & { refusals: string[] | null }) | null
  checkout: (Omit<CheckoutFacts, 'maxLamports'> & { maxLamports: string | null }) | null
}

/** Reads all that decides whether a wallet may reserve listings: `reservation_facts` in functions/reservations.sql. Locks nothing. */
export async function readFacts(
  database: Database | Tx,
  buyer: WalletAddress | undefined,
  listingIds: readonly string[],
  { payment, network, checkout }: Pick<BuyOrder, 'payment' | 'network' | 'checkout'> = {},
): Promise<ReservationFacts> {
  const { rows } = await sql<{ facts: FactsRow }>`
    select reservation_facts(
      ${buyer ?? ''}, ${listingIds}::uuid[], ${payment?.messageHash ?? null}, ${payment?.reference ?? null}, ${network?.hash ?? null},
      ${checkout ?? null}
    ) as facts
  `.execute(database)
  if (!rows[0]) throw new Error('the database told no facts')
  return factsOf(rows[0].facts)
}

/**
 * Locks what an order concerns, then reads the facts about it: `lock_reservation_facts` in functions/reservations.sql.
 * @param waits false to lock nothing if a listing is held or not for sale
 * @returns `locked`: if not, the facts can only be a reason to refuse, or to ask again with `waits`
 */
export async function lockFacts(
  tx: Tx,
  buyer: WalletAddress,
  listingIds: readonly string[],
  { waits, payment, network, checkout }: Pick<BuyOrder, 'payment' | 'network' | 'checkout'> & { waits: boolean },
): Promise<{ locked: boolean; facts: ReservationFacts }> {
  const { rows } = await sql<{ locked: boolean; facts: FactsRow }>`
    select locked, facts from lock_reservation_facts(
      ${buyer}, ${listingIds}::uuid[], ${waits}, ${payment?.messageHash ?? null}, ${payment?.reference ?? null}, ${network?.hash ?? null},
      ${checkout ?? null}
    )`.execute(tx)
  if (!rows[0]) throw new Error('the database told no facts')
  return { locked: rows[0].locked, facts: factsOf(rows[0].facts) }
}

function factsOf({
  now,
  listings,
  rules,
  boughtToday,
  open,
  abandoned,
  failed,
  balances,
  known,
  checkout,
  ...facts
}: FactsRow): ReservationFacts {
  const lamportsOf = (text: string | null) => (text === null ? null : BigInt(text))
  return {
    ...facts,
    now: new Date(now),
    listings: new Map(
      listings.map((listing) => [
        listing.id,
        { ...listing, lamports: BigInt(listing.lamports), wholeLamports: BigInt(listing.wholeLamports) },
      ]),
    ),
    rules: new Map(
      rules.map(({ minUnitLamports, maxUnitLamports, maxDailyLamports, ...rule }) => [
        rule.tokenType,
        {
          ...rule,
          minUnitLamports: lamportsOf(minUnitLamports),
          maxUnitLamports: lamportsOf(maxUnitLamports),
          maxDailyLamports: lamportsOf(maxDailyLamports),
        },
      ]),
    ),
    boughtToday: new Map(Object.entries(boughtToday).map(([tokenType, text]) => [tokenType, BigInt(text)])),
    open: open.map(({ items, lamports, fee, ...purchase }) => ({
      ...purchase,
      items: items.map((item) => ({ ...item, lamports: BigInt(item.lamports) })),
      lamports: BigInt(lamports),
      fee: { ...fee, lamports: BigInt(fee.lamports) },
    })),
    abandoned: readAbandonments(abandoned),
    failed: failed.map((at) => new Date(at)),
    balances: new Map(Object.entries(balances)),
    known: known ? { ...known, refusals: (known.refusals ?? []).map(BigInt) } : undefined,
    checkout: checkout ? { ...checkout, maxLamports: lamportsOf(checkout.maxLamports) } : undefined,
  }
}
