import { inParallel } from '../in-parallel.ts'
import { type ChainClient } from '../players/chain-client.ts'

/** A transaction that succeeded on chain. It is read without any code of the product. */
export interface LandedTransaction {
  signature: string
  feePayer: string
  fee: bigint
  transfers: { from: string; to: string; lamports: bigint }[]
}

interface ParsedTransaction {
  meta: { err: unknown; fee: number }
  transaction: {
    message: {
      accountKeys: { pubkey: string }[]
      instructions: { program?: string; parsed?: { type: string; info: { source: string; destination: string; lamports: number } } }[]
    }
  }
}

const PAGE = 1_000

/** Every transaction of these wallets that succeeded, by signature. */
export async function readLanded(chain: ChainClient, wallets: readonly string[]): Promise<Map<string, LandedTransaction>> {
  const signatures = new Set<string>()
  await inParallel(wallets, async (wallet) => {
    for (const signature of await signaturesOf(chain, wallet)) signatures.add(signature)
  })
  const landed = new Map<string, LandedTransaction>()
  await inParallel([...signatures], async (signature) => {
    const transaction = await readTransaction(chain, signature)
    if (transaction) landed.set(signature, transaction)
  })
  return landed
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

async function readTransaction(chain: ChainClient, signature: string): Promise<LandedTransaction | undefined> {
  const config = { encoding: 'jsonParsed', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
  const found = await chain.call<ParsedTransaction | null>('getTransaction', [signature, config])
  if (!found) throw new Error(`the chain lists ${signature} but does not return it`)
  if (found.meta.err !== null) return undefined
  const { accountKeys, instructions } = found.transaction.message
  const transfers = instructions.flatMap(({ program, parsed }) => {
    if (program !== 'system' || parsed?.type !== 'transfer') return []
    const { source, destination, lamports } = parsed.info
    return [{ from: source, to: destination, lamports: BigInt(lamports) }]
  })
  return { signature, feePayer: accountKeys[0]?.pubkey ?? '', fee: BigInt(found.meta.fee), transfers }
}
