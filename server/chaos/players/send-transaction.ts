import { setTimeout as delay } from 'node:timers/promises'

import { type ChainClient } from './chain-client.ts'
import { type SignedTransaction } from './wallet.ts'

const TRIES = 40
const PAUSE_MILLIS = 400

interface Status {
  confirmationStatus: string | null
}

/** Sends a transaction as a wallet does: again and again until it is confirmed. @returns false if it never was */
export async function sendTransaction(chain: ChainClient, transaction: SignedTransaction): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    await sendOnce(chain, transaction)
    if (await isConfirmed(chain, transaction.signature).catch(() => false)) return true
    await delay(PAUSE_MILLIS)
  }
  return false
}

/** Sends it and asks nothing. An error proves nothing: the chain also refuses a transaction that it already has. */
export async function sendOnce(chain: ChainClient, { base64 }: SignedTransaction): Promise<void> {
  await chain.call('sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }]).catch(() => undefined)
}

async function isConfirmed(chain: ChainClient, signature: string): Promise<boolean> {
  const { value } = await chain.call<{ value: (Status | null)[] }>('getSignatureStatuses', [
    [signature],
    { searchTransactionHistory: true },
  ])
  const status = value[0]
  return status !== null && status !== undefined && status.confirmationStatus !== 'processed'
}
