import { createRequire } from 'node:module'

import { type WalletAddress } from '@juicebar/contract/addresses'
import { address, createSolanaRpc, lamports } from '@solana/kit'
import { expect, vi } from 'vitest'

/** The part of Surfpool's native module that tests use. */
interface SurfnetModule {
  Surfnet: { startWithConfig(config: object): Surfnet }
}

interface Surfnet {
  rpcUrl: string
  drainEvents(): unknown
  stop(): void
}

const DRAIN_MILLIS = 100

/** The local chain has no blocks before this slot. */
export const FIRST_SLOT = 31n

/** A real local chain in this process. Slots are short so that blocks finalize within a second. */
export function startSurfnet(slotTimeMs = 20): Pick<Surfnet, 'rpcUrl' | 'stop'> {
  const surfnet = loadSurfpool().Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs })
  // The runtime keeps its events in memory until they are read.
  const draining = setInterval(() => surfnet.drainEvents(), DRAIN_MILLIS)
  draining.unref()
  return {
    rpcUrl: surfnet.rpcUrl,
    stop: () => {
      clearInterval(draining)
      surfnet.stop()
    },
  }
}

const ARRIVAL = { timeout: 30_000, interval: 50 }

/** Sends test SOL to a wallet and waits until the slot of its arrival is over, so that a history from the next slot on begins after it. */
export async function airdrop(url: string, wallet: WalletAddress, amount: bigint): Promise<void> {
  const rpc = createSolanaRpc(url)
  await rpc.requestAirdrop(address(wallet), lamports(amount)).send()
  await vi.waitFor(async () => expect((await rpc.getBalance(address(wallet)).send()).value).toBeGreaterThan(0n), ARRIVAL)
  const currentSlot = () => rpc.getSlot({ commitment: 'processed' }).send()
  const slot = await currentSlot()
  await vi.waitFor(async () => expect(await currentSlot()).toBeGreaterThan(slot), ARRIVAL)
}

function loadSurfpool(): SurfnetModule {
  const name = `@solana/surfpool-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
  const loaded: unknown = createRequire(import.meta.url)(name)
  if (!isSurfpool(loaded)) throw new Error(`${name} has no Surfnet`)
  return loaded
}

function isSurfpool(loaded: unknown): loaded is SurfnetModule {
  return typeof loaded === 'object' && loaded !== null && 'Surfnet' in loaded
}
