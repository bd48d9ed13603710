import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamportsToSol } from '@juicebar/contract/money'
import { type Case, type CaseStatus } from '@juicebar/contract/schemas'
import { sql } from 'kysely'

import { columnsOf } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { caseCursor, explainCase, isRefundable, parseCaseCursor } from './case.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { amountOf, itemsSql, type PurchaseItem } from '../purchase-item.ts'
import { caseColumns, type CaseRow } from './case-store.ts'

export interface CaseFilter {
  /** Cases of this wallet as buyer or seller; undefined for everyone's. */
  wallet?: WalletAddress
  status?: CaseStatus
  limit: number
  cursor?: string | undefined
}

export interface CasePage {
  cases: Case[]
  nextCursor: string | null
}

type CaseDeps = Pick<PurchaseDeps, 'database' | 'catalogue'>

const waits = sql<boolean>`(c.status in ('open', 'refunding'))`

/**
 * Cases as the API returns them: first those that need action, then the newest.
 * @throws CURSOR_INVALID
 */
export async function listCases({ database, catalogue }: CaseDeps, { wallet, status, limit, cursor }: CaseFilter): Promise<CasePage> {
  const last = cursor === undefined ? undefined : parseCaseCursor(cursor)
  const rows = await selectReplies(database)
    .$if(wallet !== undefined, (query) =>
      query.where((or) =>
        or.or([
          or('p.buyer', '=', wallet as WalletAddress),
          or('c.seller', '=', wallet as WalletAddress),
          or('c.buyer', '=', wallet as WalletAddress),
        ]),
      ),
    )
    .$if(status !== undefined, (query) => query.where('c.status', '=', status as CaseStatus))
    .$if(last !== undefined, (query) => query.where(sql<boolean>`(${waits}, c.id) < (${last?.waits}::boolean, ${last?.id}::uuid)`))
    .orderBy(waits, 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const end = rows.length > limit ? shown.at(-1) : undefined
  return { cases: shown.map((row) => toReply(row, catalogue)), nextCursor: end ? caseCursor(end) : null }
}

/** One case as the API returns it. */
export async function findCaseReply({ database, catalogue }: CaseDeps, id: string): Promise<Case | undefined> {
  const row = await selectReplies(database).where('c.id', '=', id).executeTakeFirst()
  return row && toReply(row, catalogue)
}

/** The parts of a case that can change, as of some moment. */
export type CaseState = Pick<CaseRow, 'id' | 'status' | 'deliverable' | 'note' | 'closedAt'>

/** For each of these states, the case as the API returned it then. */
export async function findCasesInState(
  tx: Tx,
  catalogue: CaseDeps['catalogue'],
  states: readonly CaseState[],
): Promise<(Case | undefined)[]> {
  if (states.length === 0) return []
  const ids = states.map(({ id }) => id)
  const rows = await selectReplies(tx).where('c.id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return states.map((state) => {
    const row = byId.get(state.id)
    return row && toReply({ ...row, ...state }, catalogue)
  })
}

function selectReplies(database: Database | Tx) {
  return database
    .selectFrom('cases as c')
    .leftJoin('purchases as p', 'p.id', 'c.purchaseId')
    .leftJoin('payments as r', (join) => join.onRef('r.caseId', '=', 'c.id').on('r.status', '<>', 'void'))
    .select(columnsOf('c', caseColumns))
    .select([
      sql<WalletAddress>`coalesce(p.buyer, c.buyer)`.as('buyer'),
      sql<PurchaseItem[] | null>`${sql.raw(itemsSql('p.id'))}`.as('items'),
    ])
    .select(['r.signature as refundSignature', waits.as('waits')])
    .select(sql<number>`(select count(*)::int from small_payments where case_id = c.id)`.as('smallPayments'))
}

type ReplyRow = Awaited<ReturnType<ReturnType<typeof selectReplies>['execute']>>[number]

function toReply(row: ReplyRow, { nameOf }: CaseDeps['catalogue']): Case {
  // A seller sees only the items bought from them. If the purchase is lost, so are its items.
  const all = row.items ?? []
  const items = row.seller === null ? all : all.filter(({ seller }) => seller === row.seller)
  const first = items[0] ?? null
  return {
    caseId: row.id,
    kind: row.kind,
    status: row.status,
    explanation: explainCase(row),
    purchaseId: row.purchaseId,
    listingId: first?.listingId ?? null,
    buyer: row.buyer,
    seller: row.seller,
    tokenType: first?.tokenType ?? null,
    tokenName: first && nameOf(first.tokenType),
    amount: first && amountOf(items),
    price: lamportsToSol(row.lamports),
    lamports: row.lamports.toString(),
    agreedLamports: first && items.reduce((sum, item) => sum + BigInt(item.lamports), 0n).toString(),
    fee: row.feeLamports > 0n ? { lamports: row.feeLamports.toString(), owedTo: row.buyer } : null,
    signature: row.signature,
    refundSignature: row.refundSignature,
    refundable: isRefundable(row),
    openedAt: row.openedAt.toISOString(),
    closedAt: row.closedAt?.toISOString() ?? null,
    note: row.note,
  }
}
