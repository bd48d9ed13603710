import { type WalletAddress } from '@juicebar/contract/addresses'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { type ChainOptions, createChain, type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { type SignedPayment, signTransaction, transfer, type TransactionVersion } from '../purchases/transactions.ts'
import { airdrop, sharedChain, type TestChain } from '../support/test-chain.ts'
import { type Answer, type FrontServer, handOnTo, startFrontServer } from './rpc/front-server.ts'
import { newWallet, type Wallet } from './transactions/transactions.ts'

export const SOL = 1_000_000_000n
export const silent = pino({ level: 'silent' })
/** For `vi.waitFor`: what a busy machine may take. */
export const waiting = { timeout: 30_000, interval: 50 }

/** The chain of this worker for a test file, with front servers and clients of these options, which stop after the file's last test. */
export function useChainClients(options: Partial<ChainOptions> = {}): ChainClients {
  const clients = new ChainClients(options)
  beforeAll(() => clients.open())
  afterAll(() => clients.close())
  return clients
}

export class ChainClients {
  surfnet!: TestChain
  /** Passes a call on to the chain. */
  handOn!: Answer
  private readonly cleanUps: (() => unknown)[] = []
  private readonly options: Partial<ChainOptions>

  constructor(options: Partial<ChainOptions>) {
    this.options = options
  }

  async open(): Promise<void> {
    this.surfnet = await sharedChain()
    this.handOn = handOnTo(this.surfnet.rpcUrl)
  }

  /** Runs after the last test of the file, the latest first. */
  atEnd(cleanUp: () => unknown): void {
    this.cleanUps.push(cleanUp)
  }

  async close(): Promise<void> {
    for (const cleanUp of this.cleanUps.splice(0).reverse()) await cleanUp()
  }

  /** A server in front of the chain. */
  async front(behaviour = this.handOn, port?: number): Promise<FrontServer> {
    const server = await startFrontServer(behaviour, port)
    this.atEnd(() => server.stop())
    return server
  }

  /** A client of these endpoints, by default of the chain itself. */
  async start(endpoints: string[] = [this.surfnet.rpcUrl], options: Partial<ChainOptions> = {}): Promise<SolanaChain> {
    const chain = createChain({ endpoints, log: silent, ...this.options, ...options })
    this.atEnd(() => chain.stop())
    await chain.start()
    return chain
  }

  /** A client whose only endpoint a test can have misbehave. */
  async startBehindFront(options: Partial<ChainOptions> = {}): Promise<{ only: FrontServer; chain: SolanaChain }> {
    const only = await this.front()
    return { only, chain: await this.start([only.url], options) }
  }

  async fundedWallet(amount = SOL): Promise<Wallet> {
    const wallet = await newWallet()
    await airdrop(this.surfnet, wallet.address, amount)
    return wallet
  }
}

/** How a payment differs from one of 0.1 SOL. */
interface PaymentChanges {
  to?: WalletAddress
  lamports?: bigint
  version?: TransactionVersion
}

/** A signed payment on a fresh blockhash, with a reference of its own. It is not sent yet. */
export async function signPayment(
  chain: SolanaChain,
  from: Wallet,
  { to, lamports = SOL / 10n, version }: PaymentChanges = {},
): Promise<SignedPayment & { reference: WalletAddress; lamports: bigint }> {
  const [{ address: reference }, { address: someone }] = await Promise.all([newWallet(), newWallet()])
  const signed = await signTransaction({ chain }, from, [transfer(from, to ?? someone, lamports, [reference])], { version })
  return { ...signed, reference, lamports }
}

/** Pays, and waits until the chain shows the payment under its reference. */
export async function pay(chain: SolanaChain, from: Wallet, changes?: PaymentChanges) {
  const signed = await signPayment(chain, from, changes)
  const sinceSlot = await chain.highestSlot()
  await chain.broadcast(signed.bytes)
  const [entry] = await vi.waitFor(async () => {
    const found = await chain.recentSignatures(signed.reference, sinceSlot, 10)
    expect(found).toMatchObject([{ signature: signed.signature }])
    return found
  }, waiting)
  // The chain lists a transaction a moment before it knows its status.
  await vi.waitFor(async () => expect((await chain.statuses([signed.signature], { everywhere: true })).size).toBe(1), waiting)
  return { ...signed, sinceSlot, slot: entry?.slot ?? 0n }
}
