import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '../../src/embedded/free-port.ts'

/** A local Solana chain that can be frozen. */
export interface ChainProcess {
  rpcUrl: string
  /** Suspends the whole process for this long. */
  freeze(millis: number): Promise<void>
  stop(): Promise<void>
}

/** Starts the built `local-chain-process.js`. */
export async function startChainProcess(program: string, slotMillis: number): Promise<ChainProcess> {
  const port = await findFreePort()
  const child = fork(program, [String(port), String(slotMillis)], { env: {}, detached: true, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await Promise.race([once(child, 'message'), ended.then(() => Promise.reject(new Error('the local chain did not start')))])
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
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
