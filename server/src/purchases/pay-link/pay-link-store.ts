import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_OPEN_HOLDS, MAX_PAY_LINKS, PAY_LINK_SECONDS } from '@juicebar/contract/limits'
import { sql } from 'kysely'
import { type Nullable } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { type Refusal, type RefusalColumns, refusalOf } from '../reservation/order.ts'
import { type PayLinkMaker, type PayLinkProgress } from './pay-link.ts'

interface MadePayLink {
  id: string
  expiresAt: Date
  millisLeft: number
}

/** Whether a maker may have one more link, for this listing: `link_room` in functions/pay-links.sql. Nobody else counts until the end of the transaction. */
export async function lockLinkRoom(tx: Tx, listingId: string, maker: PayLinkMaker): Promise<Refusal | undefined> {
  const [network, wallet] = [maker.network, maker.wallet ?? null]
  await sql`select lock_link_maker(${network}, ${wallet})`.execute(tx)
  const { rows } = await sql<RefusalColumns>`
    select refusal, retry_seconds from link_room(${network}, ${wallet}, ${listingId}, ${MAX_OPEN_HOLDS}, ${MAX_PAY_LINKS})`.execute(tx)
  return rows[0] && refusalOf(rows[0])
}

interface NewPayLink extends Pick<PayLinkOrder, 'listingId' | 'mostLamports'> {
  amount: number
  tokenHash: Buffer
  maker: PayLinkMaker
}

export async function insertPayLink(tx: Tx, { listingId, amount, mostLamports, tokenHash, maker }: NewPayLink): Promise<MadePayLink> {
  const { rows } = await sql<MadePayLink>`
    insert into pay_links as m (token_hash, listing_id, amount, most_lamports, maker, maker_wallet, expires_at)
    values (${tokenHash}, ${listingId}, ${amount}, ${mostLamports}, ${maker.network}, ${maker.wallet ?? null},
      now() + make_interval(secs => ${PAY_LINK_SECONDS}))
    returning m.id, m.expires_at, ${MILLIS_LEFT} as millis_left`.execute(tx)
  const [made] = rows
  if (!made) throw new Error('the database did not keep a payment link')
  return made
}

/** What a link is for. */
export interface PayLinkOrder {
  id: string
  listingId: string
  amount: bigint
  mostLamports: bigint
  /** The account already has a hold through this link. */
  isHeld: boolean
}

/** Finds a link, and decides whether an account may hold through it, without any lock: `link_refusal` in functions/pay-links.sql. */
export async function checkPayLink(
  database: Database,
  tokenHash: Buffer,
  account: WalletAddress,
): Promise<{ refusal: Refusal } | { link: PayLinkOrder }> {
  const { rows } = await sql<RefusalColumns & Nullable<PayLinkOrder>>`
    select k.id, k.listing_id, k.amount, k.most_lamports, r.refusal, r.retry_seconds,
      exists (select from purchases p where p.id = k.purchase_id and p.status = 'held') as is_held
    from (select) asked
    left join pay_links k on k.token_hash = ${tokenHash}
    cross join lateral link_refusal(k, ${account}, ${MAX_OPEN_HOLDS}) r`.execute(database)
  const [row] = rows
  const refusal = row && refusalOf(row)
  if (refusal) return { refusal }
  if (!row || !isOrder(row)) throw new Error('the database decided nothing about a link')
  return { link: row }
}

/** Without a link, each of its columns is null. */
function isOrder(row: Nullable<PayLinkOrder>): row is PayLinkOrder {
  return row.id !== null
}

/** A hold that an account has left unpaid, as far as anybody has found out. */
export interface FormerHold {
  id: string
  reference: WalletAddress
}

/** What an account has lately held of a listing through links, and what has ended with neither a delivery nor a case. */
export async function listFormerHolds(
  database: Database,
  { listingId }: Pick<PayLinkOrder, 'listingId'>,
  account: WalletAddress,
): Promise<FormerHold[]> {
  const { rows } = await sql<FormerHold>`
    select p.id, p.reference from pay_link_holds h join purchases p on p.id = h.purchase_id
    where h.account = ${account} and h.listing_id = ${listingId} and p.status = 'ended' and p.ended_at > now() - interval '15 minutes'
      and not exists (select from cases c where c.purchase_id = p.id)
    order by p.id desc limit ${MAX_OPEN_HOLDS}`.execute(database)
  return rows
}

/** How far a link has come, by its id or its secret name; undefined if there is none. */
export async function findPayLinkProgress(
  database: Database,
  by: { id: string } | { tokenHash: Buffer },
): Promise<PayLinkProgress | undefined> {
  const isIt = 'id' in by ? sql`m.id = ${by.id}` : sql`m.token_hash = ${by.tokenHash}`
  const { rows } = await sql<PayLinkProgress>`
    select ${MILLIS_LEFT} as millis_left,
      exists (
        select from pay_link_holds h join purchases settled on settled.id = h.purchase_id where h.link_id = m.id and settled.status = 'settled'
      ) as is_paid,
      p.status is not distinct from 'held' as is_held,
      exists (select from payments where purchase_id = p.id and kind = 'purchase' and status = 'recorded') as is_sent,
      case when p.status = 'held' then pay_millis_left(p) else 0 end as pay_millis_left
    from pay_links m left join purchases p on p.id = m.purchase_id
    where ${isIt}`.execute(database)
  return rows[0]
}

const MILLIS_LEFT = sql<number>`greatest(ceil(extract(epoch from m.expires_at - now()) * 1000), 0)::integer`

/** Deletes links a day after they expired, and their holds once they no longer count against anyone. */
export async function deleteOldPayLinks(database: Database): Promise<void> {
  await sql`
    delete from pay_links k where k.expires_at < now() - interval '1 day'
      and not exists (select from purchases p where p.id = k.purchase_id and p.status = 'held')`.execute(database)
  await sql`
    delete from pay_link_holds h using purchases p
    where p.id = h.purchase_id and p.status <> 'held' and coalesce(p.ended_at, p.settled_at) < now() - interval '3 days'`.execute(database)
}
