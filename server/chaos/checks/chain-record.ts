import { type ChainClient } from '../players/chain-client.ts'

/** A transaction that the chain accepted, as the chain itself tells it: no code of the product has a part in this. */
export interface AcceptedTransaction {
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
const AT_ONCE = 16

/** Every transaction that names one of these wallets and was accepted. */
export async function readAccepted(chain: ChainClient, wallets: readonly string[]): Promise<Map<string, AcceptedTransaction>> {
  const signatures = new Set<string>()
  await inParallel(wallets, async (wallet) => {
    for (const signature of await signaturesOf(chain, wallet)) signatures.add(signature)
  })
  const accepted = new Map<string, AcceptedTransaction>()
  await inParallel([...signatures], async (signature) => {
    const transaction = await readTransaction(chain, signature)
    if (transaction) accepted.set(signature, transaction)
  })
  return accepted
}

/** Does something for each item, some at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function signaturesOf(chain: ChainClient, wallet: string): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const before = found.at(-1)
    const page = await chain.ask<{ signature: string }[]>('getSignaturesForAddress', [wallet, { limit: PAGE, ...(before && { before }) }])
    found.push(...page.map((entry) => entry.signature))
    if (page.length < PAGE) return found
  }
}

async function readTransaction(chain: ChainClient, signature: string): Promise<AcceptedTransaction | undefined> {
  const config = { encoding: 'jsonParsed', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
  const found = await chain.ask<ParsedTransaction | null>('getTransaction', [signature, config])
  if (!found) throw new Error(`the chain does not show ${signature}, which it named itself`)
  if (found.meta.err !== null) return undefined
  const { accountKeys, instructions } = found.transaction.message
  const transfers = instructions.flatMap(({ program, parsed }) => {
    if (program !== 'system' || parsed?.type !== 'transfer') return []
    const { source, destination, lamports } = parsed.info
    return [{ from: source, to: destination, lamports: BigInt(lamports) }]
  })
  return { signature, feePayer: accountKeys[0]?.pubkey ?? '', fee: BigInt(found.meta.fee), transfers }
}
