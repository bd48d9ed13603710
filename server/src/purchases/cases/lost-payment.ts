import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'

import { type LandedTransaction } from '../../chain/chain.ts'
import { type Movement, movementsOf } from '../payment/landed-transfers.ts'
import { type ReferenceKind } from '../reference.ts'

/** What a seller, or only the fee wallet, received in a transaction for purchases that the database does not know. */
export interface LostPayment {
  buyer: WalletAddress
  /** Null if only the fee wallet received anything. */
  seller: WalletAddress | null
  lamports: bigint
  /** Of the first of the buyer's payments in the transaction: the fee that it paid as well. */
  feeLamports: bigint
}

/** SOL that was returned for a case that the database does not know. */
export interface LostRefund {
  from: string
  to: string
  lamports: bigint
}

/** What is known about the accounts of a transaction. */
export interface Known {
  /** Those that are references of purchases or refunds in the database. */
  references: ReadonlySet<string>
  /** What this market made an address for, if this wallet pays with it, whether or not it is in the database. */
  kindOf: (address: string, payer: string) => ReferenceKind | undefined
  feeWallets: ReadonlySet<string>
  /** Those of the wallets that have listed something. */
  sellers: ReadonlySet<string>
  /** The market's own keys, present and former. */
  coSigners: readonly string[]
}

export interface Findings {
  /** One for each buyer and seller. */
  lost: LostPayment[]
  refunds: LostRefund[]
  /** Whether the transaction carries a reference of this market, known to the database or not. */
  isOurs: boolean
}

/** Every account of a transaction that may be a reference. */
export function namedAccounts({ instructions, innerInstructions }: LandedTransaction): string[] {
  return [
    ...new Set([...instructions, ...innerInstructions].filter(({ transfer }) => transfer).flatMap(({ accounts }) => accounts.slice(2))),
  ]
}

/** Whether one of these keys has signed a transaction, and the chain has executed it. Whoever merely names a key proves nothing. */
export function isSignedBy({ signers, failed }: LandedTransaction, keys: readonly string[]): boolean {
  return !failed && keys.some((key) => signers.includes(key))
}

/**
 * What a transaction moved for purchases and refunds whose references this market made but the database does not know. A transfer
 * belongs to the first reference that it carries, known or not, and to that alone, so no lamport counts twice. What a key of the market
 * has signed is a payment whatever it carries, even if it paid nobody.
 */
export function findLost(transaction: LandedTransaction, known: Known): Findings {
  if (transaction.failed) return { lost: [], refunds: [], isOurs: false }
  const coSigned = isSignedBy(transaction, known.coSigners)
  const isReference = (account: string, from: string) => known.references.has(account) || known.kindOf(account, from) !== undefined
  const all = movementsOf(transaction, isReference)
  const carried = all.filter(({ reference }) => reference !== undefined)
  const unknown = all.filter(({ from, to, lamports, reference }) => !known.references.has(reference ?? '') && lamports > 0n && from !== to)
  const kindOf = ({ from, reference }: Movement) => (reference === undefined ? undefined : known.kindOf(reference, from))
  const paid = unknown.filter((movement) => kindOf(movement) === 'purchase' || (coSigned && movement.reference === undefined))
  const refunds = unknown.filter((movement) => kindOf(movement) === 'refund')
  const buyers = [...new Set(paid.map(({ from }) => from))]
  const lost = buyers.flatMap((buyer) => paymentsOf(buyer, sumByRecipient(paid.filter(({ from }) => from === buyer)), known))
  const isKnown = carried.some(({ reference = '' }) => known.references.has(reference))
  const isNothing = coSigned && lost.length === 0 && refunds.length === 0 && !isKnown
  return {
    lost: isNothing ? [nothingPaid(transaction)] : lost,
    refunds: refunds.map(({ from, to, lamports }) => ({ from, to, lamports })),
    isOurs: coSigned || carried.length > 0,
  }
}

function nothingPaid({ signers: [payer = ''] }: LandedTransaction): LostPayment {
  return { buyer: asWallet(payer), seller: null, lamports: 0n, feeLamports: 0n }
}

/** One for each seller, or one without a seller if only a fee was paid. If there are sellers, a fee wallet received the fee. */
function paymentsOf(from: string, received: ReadonlyMap<string, bigint>, { feeWallets, sellers }: Known): LostPayment[] {
  const all = [...received].map(([to, lamports]) => ({ to, lamports }))
  const others = all.filter(({ to }) => !feeWallets.has(to))
  const toSellers = others.length > 0 ? others : all.filter(({ to }) => sellers.has(to))
  const feeLamports = all.filter((each) => !toSellers.includes(each)).reduce((sum, { lamports }) => sum + lamports, 0n)
  const buyer = asWallet(from)
  if (toSellers.length === 0) return feeLamports === 0n ? [] : [{ buyer, seller: null, lamports: 0n, feeLamports }]
  return toSellers.map(({ to, lamports }, index) => ({
    buyer,
    seller: asWallet(to),
    lamports,
    feeLamports: index === 0 ? feeLamports : 0n,
  }))
}

function sumByRecipient(movements: readonly Movement[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { to, lamports } of movements) sums.set(to, (sums.get(to) ?? 0n) + lamports)
  return sums
}

function asWallet(address: string): WalletAddress {
  const wallet = parseWalletAddress(address)
  if (!wallet) throw new Error(`${address}, from a transaction of the chain, is no address`)
  return wallet
}
