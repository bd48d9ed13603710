import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { createChainClient } from '../players/chain-client.ts'

/**
 * - local: the real runtime, which is built into the server.
 * - fast: one of our own, which keeps the rules that payments depend on and takes a small part of the time. It has forks.
 */
export type ChainKind = 'local' | 'fast'

/** A Solana chain that can be frozen. */
export interface ChainProcess {
  rpcUrl: string
  /** Those whose blocks were abandoned with a fork. They may have landed again. */
  forked: ReadonlySet<string>
  /** Abandons the newest blocks, of which none is final. Only a fast chain can. */
  fork(blocks: number): Promise<void>
  /** Suspends the whole process for this long. */
  freeze(millis: number): Promise<void>
  stop(): Promise<void>
}

interface ChainOptions {
  kind: ChainKind
  /** The built `local-chain-process.js`. */
  localProgram: string
  slotMillis: number
}

const FIRST_SLOT = 100_000
const fastProgram = fileURLToPath(new URL('../fast-chain/main.ts', import.meta.url))

/** Starts a chain in a process of its own. */
export async function startChainProcess({ kind, localProgram, slotMillis }: ChainOptions): Promise<ChainProcess> {
  const chain = await startProgram(kind === 'fast' ? fastProgram : localProgram, slotMillis)
  // Else no slot could be far too low. The fast chain begins so by itself.
  if (kind === 'local') await createChainClient(chain.rpcUrl).call('surfnet_timeTravel', [{ absoluteSlot: FIRST_SLOT }])
  return chain
}

async function startProgram(program: string, slotMillis: number): Promise<ChainProcess> {
  const port = await findFreePort()
  const rpcUrl = `http://127.0.0.1:${port}`
  const forked = new Set<string>()
  const child = fork(program, [String(port), String(slotMillis)], { env: {}, detached: true, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await Promise.race([once(child, 'message'), ended.then(() => Promise.reject(new Error('the chain did not start')))])
  return {
    rpcUrl,
    forked,
    fork: async (blocks) => {
      const signatures = await createChainClient(rpcUrl).call<string[]>('chaos_fork', [blocks])
      for (const signature of signatures) forked.add(signature)
    },
    freeze: async (millis) => {
      child.kill('SIGSTOP')
      try {
        await delay(millis)
      } finally {
        child.kill('SIGCONT')
      }
    },
    stop: async () => {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended
    },
  }
}
