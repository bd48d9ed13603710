import { type Signature } from '@juicebar/contract/addresses'

import { type Chain, type LandedTransaction, type SignatureEntry } from '../chain/chain.ts'
import { createChain } from '../chain/client/solana-chain.ts'
import { createLog } from '../logging/log.ts'
import { isSignedBy } from '../purchases/cases/lost-payment.ts'
import { movementsOf } from '../purchases/payment/landed-transfers.ts'
import { type HistoryWalk } from '../purchases/reconciliation/co-signer/history-walk.ts'
import { readHistory } from '../purchases/reconciliation/co-signer/read-history.ts'
import { type Config } from '../settings/config.ts'
import {
  addTrades,
  beginPublicAudit,
  findingsOf,
  matchPayments,
  noteMatch,
  overdueTrades,
  type PublicAudit,
  type PublicFindings,
  tradesNeededSince,
} from './public-audit.ts'
import { readProgress, saveProgress } from './public-audit-file.ts'
import { connectMarket, type PublicMarket } from './public-market.ts'

/** Transactions read at once. */
const AT_ONCE = 8
/** How often the file is written while a history is read. */
const SAVE_MILLIS = 5_000

export interface PublicReport extends PublicFindings {
  market: string
  keys: string[]
  /** Payments of which chain and market have told alike, by all audits so far. */
  matched: number
  /** Payments that became cases. */
  cases: number
  /** What could not be read, in sentences. */
  unchecked: string[]
}

interface PublicAuditParts {
  market: PublicMarket
  chain: Chain
  /** The market's address, which the progress belongs to. */
  origin: string
  /** The file that keeps the progress. */
  file: string
  /** Returns milliseconds since 1970. */
  now?: () => number
}

/**
 * Compares the payments that the keys of a market have signed on the chain with what the market tells everybody.
 * @throws Error with a sentence if market or chain do not answer, or a setting is missing
 */
export async function auditPublic(config: Config, origin: string, file: string): Promise<PublicReport> {
  if (!config.rpcUrls) throw new Error('SOLANA_RPC_URL is not set.')
  const chain = createChain({
    endpoints: config.rpcUrls,
    requestsPerSecond: config.rpcLimits,
    network: config.network,
    log: createLog(config.logLevel),
  })
  try {
    await chain.start()
    return await runPublicAudit({ market: connectMarket(origin), chain, origin, file })
  } finally {
    await chain.stop()
  }
}

/** Continues the audit of a market from where the file says. @throws as `auditPublic` */
export async function runPublicAudit({ market, chain, origin, file, now = Date.now }: PublicAuditParts): Promise<PublicReport> {
  const genesisHash = await chain.genesisHash()
  const audit = (await readProgress(file)) ?? beginPublicAudit(origin, genesisHash)
  if (audit.market !== origin || audit.genesisHash !== genesisHash) {
    throw new Error(`${file} is the progress of ${audit.market}, or of another chain. Name another file with --progress.`)
  }
  for (const key of await market.keys()) {
    if (!audit.keys.has(key)) audit.keys.set(key, { doneSlot: 0n, topSlot: null, decidedTo: null })
  }
  const unchecked: string[] = []
  for (const [key, walk] of audit.keys) unchecked.push(...(await readKey(chain, audit, { key, walk, file, now })))
  addTrades(audit, await market.trades(tradesNeededSince(audit)))
  const { signatures, next } = await market.unmatched(audit.unmatchedAfter)
  for (const signature of signatures) audit.excused.add(signature)
  audit.unmatchedAfter = next
  matchPayments(audit)
  for (const signature of overdueTrades(audit, now())) await lookUp(chain, audit, signature)
  await saveProgress(file, audit)
  const { matchedCount: matched, excused } = audit
  return { market: origin, keys: [...audit.keys.keys()], matched, cases: excused.size, unchecked, ...findingsOf(audit, now()) }
}

interface KeyHistory {
  key: string
  walk: HistoryWalk
  file: string
  now: () => number
}

/** Reads what is new in the history of a key. @returns what could not be read */
async function readKey(chain: Chain, audit: PublicAudit, { key, walk, file, now }: KeyHistory): Promise<string[]> {
  const unchecked: string[] = []
  let savedAt = performance.now()
  const isWhole = await readHistory(chain, key, walk, {
    decide: (entries) => readEntries(chain, audit, entries, now),
    save: async (next) => {
      audit.keys.set(key, next)
      if (performance.now() - savedAt < SAVE_MILLIS) return true
      await saveProgress(file, audit)
      savedAt = performance.now()
      return true
    },
    goesOn: () => true,
    onPruned: (firstSlot) => unchecked.push(`${key}: no endpoint keeps what it signed before slot ${firstSlot}`),
  })
  return isWhole ? unchecked : [...unchecked, `${key}: an endpoint does not show all transactions that it lists; try again`]
}

/** @returns how many were read, up to the first that no endpoint shows */
async function readEntries(chain: Chain, audit: PublicAudit, entries: readonly SignatureEntry[], now: () => number): Promise<number> {
  const open = entries.flatMap((entry, index) => (entry.failed ? [] : [{ ...entry, index }]))
  while (open.length > 0) {
    const chunk = open.splice(0, AT_ONCE)
    const read = await Promise.all(chunk.map(({ signature }) => chain.transaction(signature)))
    for (const [place, transaction] of read.entries()) {
      if (!transaction) return chunk[place]?.index ?? 0
      noteSigned(audit, transaction, now())
    }
  }
  return entries.length
}

function noteSigned(audit: PublicAudit, transaction: LandedTransaction, now: number): void {
  if (!isSignedBy(transaction, [...audit.keys.keys()])) return
  audit.signed.set(transaction.signature, { lamports: movedBy(transaction), since: transaction.landedAt?.getTime() ?? now })
}

function movedBy(transaction: LandedTransaction): bigint {
  return movementsOf(transaction, () => false).reduce((sum, { lamports }) => sum + lamports, 0n)
}

/** A trade whose payment the history of no key has shown, because it is older than what endpoints list, for example. */
async function lookUp(chain: Chain, audit: PublicAudit, signature: Signature): Promise<void> {
  const trades = audit.traded.get(signature)
  const status = (await chain.finality([signature])).get(signature)
  const transaction = status?.commitment === 'finalized' ? await chain.transaction(signature) : undefined
  if (!trades || !transaction || !isSignedBy(transaction, [...audit.keys.keys()])) return
  if (movedBy(transaction) === trades.lamports) noteMatch(audit, signature, trades)
}
