import {
  SolanaSignAndSendTransaction,
  type SolanaSignAndSendTransactionFeature,
  SolanaSignMessage,
  type SolanaSignMessageFeature,
  SolanaSignTransaction,
  type SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features'
import { type Wallet, type WalletAccount } from '@wallet-standard/base'
import {
  StandardConnect,
  type StandardConnectFeature,
  StandardDisconnect,
  type StandardDisconnectFeature,
  StandardEvents,
  type StandardEventsFeature,
} from '@wallet-standard/features'

export const PHANTOM = 'Phantom'
export const DEMO_WALLET = 'Demo Wallet'
/** The name under which `@solana-mobile/wallet-standard-mobile` registers itself. */
export const MOBILE_WALLET = 'Mobile Wallet Adapter'

/** A wallet with every feature the market needs: connect, tell of account changes, and sign both a login and a payment. */
export type MarketWallet = Wallet & {
  features: StandardConnectFeature &
    StandardEventsFeature &
    SolanaSignMessageFeature &
    Partial<StandardDisconnectFeature & SolanaSignTransactionFeature & SolanaSignAndSendTransactionFeature>
}

/** The wallets that this market works with, in the order in which it offers them. */
export function offeredNames({ demoWallet }: { demoWallet: boolean }): readonly string[] {
  return demoWallet ? [PHANTOM, MOBILE_WALLET, DEMO_WALLET] : [PHANTOM, MOBILE_WALLET]
}

/** True if a registered wallet is offered and has every feature the market needs. */
export function isMarketWallet(wallet: Wallet, names: readonly string[]): wallet is MarketWallet {
  const has = (feature: string) => feature in wallet.features
  const pays = has(SolanaSignTransaction) || has(SolanaSignAndSendTransaction)
  return names.includes(wallet.name) && has(StandardConnect) && has(StandardEvents) && has(SolanaSignMessage) && pays
}

/**
 * Asks the wallet to connect.
 *
 * @returns the accounts that the person shared when the wallet answered
 */
export async function requestAccounts(wallet: MarketWallet): Promise<readonly WalletAccount[]> {
  const { accounts } = await wallet.features[StandardConnect].connect()
  return accounts
}

/** @returns undefined if no account is of a Solana chain */
export function firstSolanaAccount(accounts: readonly WalletAccount[]): WalletAccount | undefined {
  return accounts.find((account) => account.chains.some((chain) => chain.startsWith('solana:')))
}

/** Disconnects the wallet, if it can be disconnected. */
export async function disconnectAccount(wallet: MarketWallet): Promise<void> {
  await wallet.features[StandardDisconnect]?.disconnect()
}

/**
 * Calls `listener` whenever the wallet's accounts change.
 *
 * @returns a function that stops listening
 */
export function onAccountsChanged(wallet: MarketWallet, listener: () => void): () => void {
  return wallet.features[StandardEvents].on('change', ({ accounts }) => {
    if (accounts) listener()
  })
}

export type Platform = 'ios' | 'android' | 'desktop'

/** The kind of device, as far as wallets differ by it. An iPad reports itself as a Mac, but has a touch screen. */
export function platformOf(agent: { userAgent: string; maxTouchPoints: number }): Platform {
  if (/android/i.test(agent.userAgent)) return 'android'
  if (/iphone|ipad|ipod/i.test(agent.userAgent)) return 'ios'
  return /macintosh/i.test(agent.userAgent) && agent.maxTouchPoints > 1 ? 'ios' : 'desktop'
}

/** True inside another app's browser on Android, where the mobile wallet protocol cannot work. */
export function isInAppBrowser(userAgent: string): boolean {
  return /WebView|; wv\)|Version\/[\d.]+ Chrome\//i.test(userAgent)
}
