import { pino } from 'pino'

import { type LocalChain, startLocalChain } from '../../src/embedded/local-chain/local-chain.ts'

/** A test file's own Solana chain. Its slots are much faster than Solana's, so that confirmations don't take seconds. */
export function startTestChain({
  slotMillis = 20,
  funded,
}: { slotMillis?: number; funded?: string | undefined } = {}): Promise<LocalChain> {
  return startLocalChain({ log: pino({ level: 'silent' }), slotMillis, funded })
}
