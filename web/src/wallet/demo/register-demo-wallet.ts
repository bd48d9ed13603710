import { registerWallet } from '@wallet-standard/wallet'

import { askOwner } from './approval.ts'
import { createDemoWallet } from './create-demo-wallet.ts'

const SEED_KEY = 'demoWalletSeed'
const SEED_BYTES = 32

let registration: Promise<void> | undefined

/**
 * Registers the Demo Wallet with every app on this page, including those that start later: a wallet for the local chain, with its key in
 * local storage. It holds test SOL only. It registers once, since the Wallet Standard has no way for a wallet to leave.
 *
 * @throws if the browser cannot make ed25519 keys
 */
export function registerDemoWallet(): Promise<void> {
  registration ??= createDemoWallet(readSeed(), askOwner).then(registerWallet)
  return registration
}

function readSeed(): Uint8Array {
  const kept = localStorage.getItem(SEED_KEY)
  if (kept) return Uint8Array.from(atob(kept), (character) => character.charCodeAt(0))
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES))
  localStorage.setItem(SEED_KEY, btoa(String.fromCharCode(...seed)))
  return seed
}
