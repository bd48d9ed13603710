import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { askEndpoint } from './phantom.ts'

/** A chain that makes slots faster or slower than the product's own. */
export interface OwnChain {
  rpcUrl: string
  /** Gives a wallet so many lamports. The market at this chain, which it takes for a public one, does not. */
  fund(address: string, lamports: number): Promise<void>
  stop(): Promise<void>
}

/** Starts the built chain on a port of 127.0.0.1. */
export async function startOwnChain(port: number, slotMillis: number): Promise<OwnChain> {
  const program = fileURLToPath(new URL('../../server/dist/local-chain-process.js', import.meta.url))
  const child = fork(program, [String(port), String(slotMillis)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  await Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('the chain did not start')))])
  const rpcUrl = `http://127.0.0.1:${port}`
  return {
    rpcUrl,
    fund: async (address, lamports) => void (await askEndpoint(rpcUrl, 'requestAirdrop', [address, lamports])),
    async stop() {
      child.kill()
      await exited
    },
  }
}
