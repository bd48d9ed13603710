import { inParallel } from '../in-parallel.ts'
import { type ChainClient } from '../players/chain-client.ts'

/** A transaction that the chain carried out, or charged for although it failed. */
interface ChargedTransaction {
  feePayer: string
  fee: bigint
}

/** A transaction that succeeded on chain. It is read without any code of the product. */
export interface LandedTransaction extends ChargedTransaction {
  signature: string
  signers: readonly string[]
  transfers: { from: string; to: string; lamports: bigint }[]
}

interface ParsedTransaction {
  meta: { err: unknown; fee: number; preBalances: number[]; postBalances: number[] }
  transaction: {
    message: {
      accountKeys: { pubkey: string; signer: boolean }[]
      instructions: { program?: string; parsed?: { type: string; info: { source: string; destination: string; lamports: number } } }[]
    }
  }
}

const PAGE = 1_000

export interface ChainRecord {
  /** By signature. */
  landed: Map<string, LandedTransaction>
  failed: ChargedTransaction[]
}

/** Every transaction that names one of these wallets. */
export async function readLanded(chain: ChainClient, wallets: readonly string[]): Promise<ChainRecord> {
  const signatures = new Set<string>()
  await inParallel(wallets, async (wallet) => {
    for (const signature of await signaturesOf(chain, wallet)) signatures.add(signature)
  })
  const record: ChainRecord = { landed: new Map(), failed: [] }
  await inParallel([...signatures], async (signature) => {
    const { succeeded, ...transaction } = await readTransaction(chain, signature)
    if (succeeded) record.landed.set(signature, transaction)
    else record.failed.push(transaction)
  })
  return record
}

/** Which of these transactions are not on the chain, or moved nothing. */
export async function readGone(chain: ChainClient, signatures: Iterable<string>): Promise<Set<string>> {
  const gone = new Set<string>()
  await inParallel([...signatures], async (signature) => {
    const { value } = await chain.call<{ value: ({ err: unknown } | null)[] }>('getSignatureStatuses', [
      [signature],
      { searchTransactionHistory: true },
    ])
    if (value[0]?.err !== null) gone.add(signature)
  })
  return gone
}

/** The balance of each wallet in lamports. */
export async function readLamports(chain: ChainClient, wallets: readonly string[]): Promise<Map<string, bigint>> {
  const lamports = new Map<string, bigint>()
  await inParallel(wallets, async (wallet) => {
    const { value } = await chain.call<{ value: number }>('getBalance', [wallet, { commitment: 'confirmed' }])
    lamports.set(wallet, BigInt(value))
  })
  return lamports
}

async function signaturesOf(chain: ChainClient, wallet: string): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const before = found.at(-1)
    const page = await chain.call<{ signature: string }[]>('getSignaturesForAddress', [wallet, { limit: PAGE, ...(before && { before }) }])
    found.push(...page.map((entry) => entry.signature))
    if (page.length < PAGE) return found
  }
}

async function readTransaction(chain: ChainClient, signature: string): Promise<LandedTransaction & { succeeded: boolean }> {
  const config = { encoding: 'jsonParsed', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
  const found = await chain.call<ParsedTransaction | null>('getTransaction', [signature, config])
  if (!found) throw new Error(`the chain lists ${signature} but does not return it`)
  const { accountKeys, instructions } = found.transaction.message
  const transfers = instructions.flatMap(({ program, parsed }) => {
    if (program !== 'system' || parsed?.type !== 'transfer') return []
    const { source, destination, lamports } = parsed.info
    return [{ from: source, to: destination, lamports: BigInt(lamports) }]
  })
  const signers = accountKeys.filter(({ signer }) => signer).map(({ pubkey }) => pubkey)
  const { err, fee, preBalances, postBalances } = found.meta
  const succeeded = err === null
  // The local chain shows a fee for some failed transactions that it charges nothing for.
  const charged = succeeded ? fee : (preBalances[0] ?? 0) - (postBalances[0] ?? 0)
  return { signature, signers, feePayer: accountKeys[0]?.pubkey ?? '', fee: BigInt(charged), transfers, succeeded }
}
