import { type Query, type Reply } from '@juicebar/contract/calls'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Block, type Pause } from '@juicebar/contract/schemas'
import { type Database } from '../database/connect.ts'
import { blockCursor, blockReply, parseBlockCursor, rulesText, type TokenRule } from '../restrictions/restriction.ts'
import {
  listBlocks,
  deleteBlock,
  emitBlock,
  FIRST_ID,
  lockRestrictions,
  saveBlock,
  takeBackListings,
  deletePause,
  emitPause,
  savePause,
  findChangedPause,
  findPause,
  replaceRules,
  listRules,
} from '../restrictions/restriction-store.ts'
import { inTransaction } from '../database/transact.ts'
import { insertLogEntry } from './log/studio-log-store.ts'
import { type Catalogue } from '../catalogue/catalogue.ts'

/**
 * One page of the wallets that are blocked, the latest block first.
 * @throws CURSOR_INVALID
 */
export async function readBlocks(
  database: Database,
  { cursor, limit = LISTINGS_PAGE }: Query<'studioBlocks'>,
): Promise<Reply<'studioBlocks'>> {
  const rows = await listBlocks(database, { after: cursor === undefined ? undefined : parseBlockCursor(cursor), limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const end = rows.length > limit ? shown.at(-1) : undefined
  return {
    blocks: shown.map(blockReply),
    nextCursor: end ? blockCursor({ sinceMicros: end.sinceMicros, wallet: end.walletAddress }) : null,
  }
}

/** Listings taken back in one transaction. */
const BATCH = 100

interface BlockOrder {
  wallet: WalletAddress
  reason: string
  until: Date | null
  removeListings: boolean
  actor: string
}

/**
 * Blocks a wallet, or changes its block. When this returns, none of its earlier allowed listings or holds is still in progress. With
 * `removeListings`, its listings are taken back, except those that buyers hold: they follow if their hold ends unpaid.
 * @throws BAD_REQUEST if `until` has passed
 */
export async function recordBlock(database: Database, order: BlockOrder): Promise<{ block: Block; removedListings: number }> {
  const { wallet, reason, until, removeListings, actor } = order
  const block = await inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    const row = await saveBlock(tx, { walletAddress: wallet, reason, until, takesListings: removeListings, actor })
    if (!row) throw new Failure('BAD_REQUEST', { detail: 'until must be in the future.' })
    await insertLogEntry(tx, { actor, call: 'blockWallet', subject: wallet, reason })
    await emitBlock(tx, wallet)
    return blockReply(row)
  })
  return { block, removedListings: removeListings ? await takeBackAll(database, wallet) : 0 }
}

async function takeBackAll(database: Database, seller: WalletAddress): Promise<number> {
  let removed = 0
  for (let after: string | null = FIRST_ID; after !== null;) {
    const batch: { seller: WalletAddress; after: string; most: number } = { seller, after, most: BATCH }
    const { last, taken } = await inTransaction(database, (tx) => takeBackListings(tx, batch))
    removed += taken
    after = last
  }
  return removed
}

interface Unblocking {
  wallet: WalletAddress
  reason?: string | undefined
  actor: string
}

/** Ends the block of a wallet, if there is one. */
export async function recordUnblock(database: Database, { wallet, reason, actor }: Unblocking): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    await deleteBlock(tx, wallet)
    await insertLogEntry(tx, { actor, call: 'unblockWallet', subject: wallet, reason: reason ?? null })
    await emitBlock(tx, wallet)
  })
}

/** The name of the whole market in the log. */
const MARKET = 'market'

/** The pause of the market, for the studio; null while it is open. */
export async function readPause(database: Database): Promise<Pause | null> {
  const pause = await findPause(database)
  return pause ? { ...pause, since: pause.since.toISOString() } : null
}

/** Pauses the market, or changes the message. When this returns, no listing or hold that was allowed before is still in progress. */
export async function recordPause(database: Database, { message, actor }: { message: string; actor: string }): Promise<Pause> {
  return inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    const pause = await savePause(tx, { message, actor })
    await insertLogEntry(tx, { actor, call: 'pauseMarket', subject: MARKET, reason: message })
    await emitPause(tx, pause)
    return { ...pause, since: pause.since.toISOString() }
  })
}

/** Ends the studio's pause. @returns the pause that remains while a recovery is needed; null if the market is open again */
export async function recordResumption(
  database: Database,
  { reason, actor }: { reason?: string | undefined; actor: string },
): Promise<Pause | null> {
  return inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    await deletePause(tx)
    await insertLogEntry(tx, { actor, call: 'resumeMarket', subject: MARKET, reason: reason ?? null })
    const left = await findChangedPause(tx)
    await emitPause(tx, left)
    return left && { ...left, since: left.since.toISOString() }
  })
}

interface NewRules {
  rules: readonly TokenRule[]
  /** Names the drinks in the log. */
  catalogue: Pick<Catalogue, 'nameOf'>
  reason: string | undefined
  actor: string
}

/** Replaces the rules of all drinks. When this returns, no listing or hold that the former rules allowed is still in progress. */
export async function recordRules(database: Database, { rules, catalogue, reason, actor }: NewRules): Promise<TokenRule[]> {
  return inTransaction(database, async (tx) => {
    await lockRestrictions(tx)
    await replaceRules(tx, rules)
    const words = rulesText(rules, catalogue)
    await insertLogEntry(tx, { actor, call: 'setRules', subject: 'rules', reason: reason === undefined ? words : `${reason} (${words})` })
    return listRules(tx)
  })
}
