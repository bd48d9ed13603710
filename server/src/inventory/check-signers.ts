import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { mayHaveSigner } from '../chain/transactions/keys.ts'
import { type Database } from '../database/connect.ts'
import { findPlayers } from './ledger-store.ts'

/** Each takes Node.js 0.2 ms: after this many, other work gets its turn. */
const CHECKED_AT_ONCE = 25
/** Some 10 MB. */
const MAX_REMEMBERED = 50_000

/** The results for the latest wallets; they never change. */
const remembered = new LRUCache<WalletAddress, boolean>({ max: MAX_REMEMBERED })

/** The wallets whose private key someone can have. A wallet that has signed in has proved it, whatever its address looks like. */
export async function checkSigners(database: Database, wallets: Iterable<WalletAddress>): Promise<ReadonlySet<WalletAddress>> {
  const signers = new Set<WalletAddress>()
  const others: WalletAddress[] = []
  let checked = 0
  for (const wallet of new Set(wallets)) {
    let known = remembered.get(wallet)
    if (known === undefined) {
      if (++checked % CHECKED_AT_ONCE === 0) await turn()
      known = mayHaveSigner(wallet)
      remembered.set(wallet, known)
    }
    if (known) signers.add(wallet)
    else others.push(wallet)
  }
  if (others.length > 0) for (const wallet of await findPlayers(database, others)) signers.add(wallet)
  return signers
}
