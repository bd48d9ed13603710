import { readFile, rename, writeFile } from 'node:fs/promises'
import { type Signature } from '@juicebar/contract/addresses'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type HistoryWalk } from '../purchases/reconciliation/history-walk.ts'
import {
  type PublicAudit,
  addTrades,
  beginPublicAudit,
  findingsOf,
  matchPayments,
  noteMatch,
  overdueTrades,
  type PublicFindings,
  tradesNeededSince,
  connectMarket,
  type PublicMarket,
} from './public-audit.ts'
import { type Chain, type LandedTransaction, type SignatureEntry } from '../chain/chain.ts'
import { createChain } from '../chain/client/solana-chain.ts'
import { createLog } from '../runtime/log.ts'
import { isSignedBy } from '../purchases/cases/case.ts'
import { movementsOf } from '../purchases/payment/landed-payment.ts'
import { readHistory } from '../purchases/reconciliation/read-history.ts'
import { type Config } from '../config.ts'

const LISTED = 10

/** A public audit as text for a terminal. */
export function publicAuditText({ market, keys, matched, cases, violations, pending, unchecked }: PublicReport): string {
  return [
    verdict(violations.length, unchecked.length),
    '',
    `Payments of ${market} that the chain and the market tell alike: ${matched}. Payments that became cases: ${cases}.`,
    ...(keys.length === 0 ? ['The market names no key that signs payments.'] : [`Signed by ${keys.join(', ')}.`]),
    ...section('Wrong', violations),
    ...section('Pending', pending),
    ...section('Not checked', unchecked),
    '',
  ].join('\n')
}

/** 1 if something is wrong, 2 if nothing is wrong but not everything was checked, otherwise 0. */
export function publicExitCode({ violations, unchecked }: Pick<PublicReport, 'violations' | 'unchecked'>): number {
  if (violations.length > 0) return 1
  return unchecked.length > 0 ? 2 : 0
}

function verdict(wrong: number, unchecked: number): string {
  if (wrong > 0) return `${wrong} ${wrong === 1 ? 'payment is' : 'payments are'} not as the market tells.`
  return unchecked === 0
    ? 'The market tells of every payment that it signed, and of no other.'
    : 'What could be checked is as the market tells.'
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length > LISTED ? [`  and ${lines.length - LISTED} more`] : []
  return ['', `${title}:`, ...lines.slice(0, LISTED).map((line) => `  ${line}`), ...more]
}

const Whole = Type.String({ pattern: '^[0-9]{1,20}$' })
const Payments = Type.Array(Type.Object({ signature: Type.String(), lamports: Whole, since: Type.Number() }))
const walk = { address: Type.String(), doneSlot: Whole, topSlot: Type.Union([Whole, Type.Null()]) }
const ProgressSchema = Type.Object({
  version: Type.Literal(1),
  market: Type.String(),
  genesisHash: Type.String(),
  keys: Type.Array(Type.Object({ ...walk, decidedTo: Type.Union([Type.String(), Type.Null()]) })),
  signed: Payments,
  traded: Payments,
  matched: Type.Array(Type.Object({ signature: Type.String(), since: Type.Number() })),
  matchedCount: Type.Number(),
  excused: Type.Array(Type.String()),
  tradesReadTo: Type.Number(),
  unmatchedAfter: Type.Union([Type.String(), Type.Null()]),
})
type Progress = Type.Static<typeof ProgressSchema>

/**
 * Reads what an earlier audit has saved.
 * @returns undefined if there is no such file
 * @throws Error with a sentence if the file holds something else
 */
async function readProgress(path: string): Promise<PublicAudit | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const saved = parse(text)
  if (!saved) throw new Error(`${path} is not the progress of a public audit. Name another file with --progress.`)
  const payments = (list: Progress['signed']) =>
    new Map(list.map(({ signature, lamports, since }) => [signature as Signature, { lamports: BigInt(lamports), since }]))
  return {
    ...saved,
    keys: new Map(saved.keys.map(({ address, ...rest }) => [address, walkOf(rest)])),
    signed: payments(saved.signed),
    traded: payments(saved.traded),
    matched: new Map(saved.matched.map(({ signature, since }) => [signature as Signature, since])),
    excused: new Set(saved.excused as Signature[]),
    unmatchedAfter: saved.unmatchedAfter ?? undefined,
  }
}

/** Saves how far an audit has come: the file is the earlier one or this one, whenever the process ends. */
async function saveProgress(path: string, audit: PublicAudit): Promise<void> {
  const payments = (map: PublicAudit['signed']) =>
    [...map].map(([signature, { lamports, since }]) => ({ signature, lamports: String(lamports), since }))
  const progress: Progress = {
    version: 1,
    market: audit.market,
    genesisHash: audit.genesisHash,
    keys: [...audit.keys].map(([address, { doneSlot, topSlot, decidedTo }]) => {
      return { address, doneSlot: String(doneSlot), topSlot: topSlot === null ? null : String(topSlot), decidedTo }
    }),
    signed: payments(audit.signed),
    traded: payments(audit.traded),
    matched: [...audit.matched].map(([signature, since]) => ({ signature, since })),
    matchedCount: audit.matchedCount,
    excused: [...audit.excused],
    tradesReadTo: audit.tradesReadTo,
    unmatchedAfter: audit.unmatchedAfter ?? null,
  }
  await writeFile(`${path}.new`, `${JSON.stringify(progress)}\n`)
  await rename(`${path}.new`, path)
}

function parse(text: string): Progress | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Compile(ProgressSchema).Check(value) ? value : undefined
  } catch {
    return undefined
  }
}

function walkOf({ doneSlot, topSlot, decidedTo }: Omit<Progress['keys'][number], 'address'>): HistoryWalk {
  return { doneSlot: BigInt(doneSlot), topSlot: topSlot === null ? null : BigInt(topSlot), decidedTo: decidedTo as Signature | null }
}

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
