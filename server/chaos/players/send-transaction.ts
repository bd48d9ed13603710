import { setTimeout as delay } from 'node:timers/promises'

import { type ChainClient } from './chain-client.ts'

const TRIES = 40
const PAUSE_MILLIS = 400

interface Status {
  confirmationStatus: string | null
}

/** Sends a transaction as a wallet does by itself: again and again until the chain has confirmed it. False where it never did. */
export async function sendTransaction(chain: ChainClient, { signature, base64 }: { signature: string; base64: string }): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    // What the chain answers is no proof of anything: it also refuses what it knows already.
    await chain.ask('sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }]).catch(() => undefined)
    if (await isConfirmed(chain, signature).catch(() => false)) return true
    await delay(PAUSE_MILLIS)
  }
  return false
}

async function isConfirmed(chain: ChainClient, signature: string): Promise<boolean> {
  const { value } = await chain.ask<{ value: (Status | null)[] }>('getSignatureStatuses', [[signature], { searchTransactionHistory: true }])
  const status = value[0]
  return status !== null && status !== undefined && status.confirmationStatus !== 'processed'
}
