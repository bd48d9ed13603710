import { createRequire } from 'node:module'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { address, createSolanaRpc, lamports } from '@solana/kit'
import { pino } from 'pino'
import { expect, vi } from 'vitest'
import { type LocalChain, startLocalChain } from '../../src/embedded/local-chain.ts'
import { surfpoolPackage } from '../../src/embedded/surfpool-package.ts'

/** The part of Surfpool's native module that tests use. */
interface SurfpoolModule {
  Surfnet: { startWithConfig(config: { offline: boolean; blockProductionMode: 'clock'; slotTimeMs: number }): Surfnet }
}

interface Surfnet {
  rpcUrl: string
  drainEvents(): unknown
  fundSolMany(wallets: { address: string; lamports: number }[]): unknown
  setAccount(address: string, lamports: number, data: number[], owner: string): unknown
  timeTravelToSlot(slot: number): { absoluteSlot: number }
  stop(): void
}

/** A real Solana runtime in this process. */
export interface TestChain {
  rpcUrl: string
  /** Gives each of these wallets so many lamports, at once. */
  fund(wallets: readonly WalletAddress[], amount: bigint): void
  /** Produces so many blocks at once, as if their slots had passed: 32 finalize what is on the chain, 151 expire every blockhash. */
  mine(blocks: number): Promise<void>
  /** From now on an account must keep this many lamports for each of its bytes, and for 128 more. */
  setRent(lamportsPerByte: bigint): void
  stop(): void
}

const DRAIN_MILLIS = 100
/** The local chain has no blocks before this slot. */
export const FIRST_SLOT = 31n
/** The first finalized slot is below `FIRST_SLOT`, and so is the first height: nothing that tests do should see that. */
const FIRST_BLOCKS = 40
/** Short, so that nobody waits for a confirmation, and yet a busy machine sends what it has signed before its blockhash expires. */
const SLOT_MILLIS = 50
/** Where a chain keeps what rent costs. */
const RENT_SYSVAR = {
  address: 'SysvarRent111111111111111111111111111111111',
  owner: 'Sysvar1111111111111111111111111111111111111',
}

let shared: Promise<TestChain> | undefined
let lastStart = 0
const second = () => Math.floor(Date.now() / 1_000)

/**
 * The chain of this worker, started when it is first needed: it serves all files of the worker, one after another, and ends with its
 * process. Tests that stop a chain, or need its beginning, start their own.
 */
export function sharedChain(): Promise<TestChain> {
  return (shared ??= startShared())
}

async function startShared(): Promise<TestChain> {
  const chain = await startSurfnet(SLOT_MILLIS)
  await chain.mine(FIRST_BLOCKS)
  return chain
}

/** A chain of a test's own, which has another genesis hash than those before it: the runtime derives that from the second. */
export async function startSurfnet(slotTimeMs = SLOT_MILLIS): Promise<TestChain> {
  await vi.waitFor(() => expect(second()).toBeGreaterThan(lastStart), { timeout: 2_000, interval: 20 })
  lastStart = second()
  const surfnet = loadSurfpool().Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs })
  // The runtime keeps its events in memory until they are read.
  const draining = setInterval(() => surfnet.drainEvents(), DRAIN_MILLIS)
  draining.unref()
  return {
    rpcUrl: surfnet.rpcUrl,
    fund: (wallets, amount) => void surfnet.fundSolMany(wallets.map((wallet) => ({ address: wallet, lamports: Number(amount) }))),
    mine: async (blocks) => {
      let slot = Number(await createSolanaRpc(surfnet.rpcUrl).getSlot({ commitment: 'processed' }).send())
      for (let mined = 0; mined < blocks;) {
        slot += 1
        if (travelTo(surfnet, slot)) mined += 1
      }
    },
    setRent: (lamportsPerByte) => void surfnet.setAccount(RENT_SYSVAR.address, 1, rentData(lamportsPerByte), RENT_SYSVAR.owner),
    stop: () => {
      clearInterval(draining)
      surfnet.stop()
    },
  }
}

/** Sends test SOL to a wallet in a transaction, whose slot is over: a history from the next slot on begins after it. */
export async function airdrop({ rpcUrl, mine }: TestChain, wallet: WalletAddress, amount: bigint): Promise<void> {
  await createSolanaRpc(rpcUrl).requestAirdrop(address(wallet), lamports(amount)).send()
  await mine(2)
}

/** @returns false if it refuses: its clock runs on, and has been there already. */
function travelTo(surfnet: Surfnet, slot: number): boolean {
  try {
    surfnet.timeTravelToSlot(slot)
    return true
  } catch {
    return false
  }
}

/** The `Rent` of Solana's SDK as it is serialized: lamports for a byte, how many times that exempts an account, how much of it is burned. */
function rentData(lamportsPerByte: bigint): number[] {
  const data = new DataView(new ArrayBuffer(17))
  data.setBigUint64(0, lamportsPerByte, true)
  data.setFloat64(8, 1, true)
  data.setUint8(16, 50)
  return [...new Uint8Array(data.buffer)]
}

function loadSurfpool(): SurfpoolModule {
  const loaded: unknown = createRequire(import.meta.url)(surfpoolPackage())
  if (!isSurfpool(loaded)) throw new Error(`${surfpoolPackage()} has no Surfnet`)
  return loaded
}

function isSurfpool(loaded: unknown): loaded is SurfpoolModule {
  return typeof loaded === 'object' && loaded !== null && 'Surfnet' in loaded
}

/** A chain in a process of its own, as a server without settings starts it. */
export function startTestChain({
  slotMillis = 20,
  funded,
}: { slotMillis?: number; funded?: string | undefined } = {}): Promise<LocalChain> {
  return startLocalChain({ log: pino({ level: 'silent' }), slotMillis, funded })
}
