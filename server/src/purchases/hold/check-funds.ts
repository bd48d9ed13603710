import { type WalletAddress } from '@juicebar/contract/addresses'
import { SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type Job } from '../../runtime/repeat.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { spendableLamports } from '../reservation/order.ts'
import { claimUnpaidHolds, closeShortHold, noteFunds, readUnpaidHolds, type UnpaidHold, beat, extendHolds } from './hold-store.ts'

const CHECK_MILLIS = 5_000

export type FundsFinding = 'covered' | 'short' | 'short again'

type FundsDeps = Pick<PurchaseDeps, 'database' | 'chain'>

/**
 * Reads the balances of buyers with open holds again and again, so that nobody holds listings with SOL that has moved on to the next wallet.
 */
export function fundsJob(deps: FundsDeps): Job {
  return {
    name: 'funds of holds',
    everyMillis: CHECK_MILLIS,
    failure: 'the balances of buyers with holds could not be read; trying again',
    run: () => checkFunds(deps),
  }
}

/**
 * Checks once whether buyers can still pay for their holds. After two readings that say no, within a minute, the payment window of a hold
 * closes that has neither a payment nor a transaction on the chain that may be one. It ends as ever: on proof that nobody paid.
 * @throws CHAIN_BUSY or CHAIN_DOWN
 */
export async function checkFunds({ database, chain }: FundsDeps): Promise<void> {
  const claimed = await claimUnpaidHolds(database)
  if (claimed.length === 0) return
  const buyers = [...new Set(claimed.map(({ buyer }) => buyer))]
  const rentExemptMinimum = await chain.rentExemptMinimum()
  const [holds, spendable] = await Promise.all([
    readUnpaidHolds(database, buyers),
    Promise.all(buyers.map(async (buyer) => [buyer, spendableLamports(await chain.balance(buyer), rentExemptMinimum)] as const)),
  ])
  const findings = judgeFunds(holds, new Map(spendable))
  const ids = new Set(idsOf(claimed))
  const due = holds.filter(({ id }) => ids.has(id))
  const found = (finding: FundsFinding) => due.filter(({ id }) => findings.get(id) === finding)
  await noteFunds(database, { short: idsOf(found('short')), covered: idsOf(found('covered')) })
  for (const { id, reference } of found('short again')) {
    const candidates = await chain.recentSignatures(reference, 0n, 1, { spare: true })
    if (candidates.length === 0) await closeShortHold(database, id)
  }
}

function idsOf(holds: readonly { id: string }[]): string[] {
  return holds.map(({ id }) => id)
}

/**
 * Which holds their buyers can pay for: what a wallet can spend covers its oldest holds first.
 * @param holds the unpaid ones of each buyer, the oldest first
 * @param spendable lamports, by wallet
 */
export function judgeFunds(
  holds: readonly Pick<UnpaidHold, 'id' | 'buyer' | 'lamports' | 'wasShort'>[],
  spendable: ReadonlyMap<WalletAddress, bigint>,
): Map<string, FundsFinding> {
  const left = new Map(spendable)
  return new Map(
    holds.map(({ id, buyer, lamports, wasShort }) => {
      const rest = (left.get(buyer) ?? 0n) - lamports - SIGNATURE_FEE_LAMPORTS
      left.set(buyer, rest)
      if (rest >= 0n) return [id, 'covered']
      return [id, wasShort ? 'short again' : 'short']
    }),
  )
}

const BEAT_MILLIS = 5_000

/**
 * Records in the database, every few seconds, that this server can reach it and the chain. If no server does so for longer, that is an
 * outage: no hold counts as abandoned during it, and buyers with a hold get more time to pay after it. While the database is down nothing
 * can be recorded, which is the point.
 */
export function outageJob({ database, chain }: FundsDeps): Job {
  return {
    name: 'heartbeat',
    everyMillis: BEAT_MILLIS,
    failure: 'a heartbeat could not be noted',
    run: async () => {
      if (chain.isUp()) await recordOutage({ database })
    },
  }
}

/** Records the outage that has just ended, if there was one, and gives the affected buyers their time back. */
export async function recordOutage({ database }: Pick<PurchaseDeps, 'database'>): Promise<void> {
  await beat(database)
  while (await extendHolds(database));
}
