import { type PublicConfig } from '@juicebar/contract/schemas'
import {
  SolanaSignAndSendTransaction,
  type SolanaSignAndSendTransactionFeature,
  SolanaSignMessage,
  type SolanaSignMessageFeature,
  SolanaSignTransaction,
  type SolanaSignTransactionFeature,
  type SolanaTransactionVersion,
} from '@solana/wallet-standard-features'
import { type IdentifierString, type Wallet, type WalletAccount } from '@wallet-standard/base'
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

/** A wallet that can connect, say when its accounts change, and sign both a login and a payment. */
export type MarketWallet = Wallet & {
  features: StandardConnectFeature &
    StandardEventsFeature &
    SolanaSignMessageFeature &
    Partial<StandardDisconnectFeature & SolanaSignTransactionFeature & SolanaSignAndSendTransactionFeature>
}

/** The wallets that this market works with, in the order in which it offers them. */
export function offeredNames(demoWallet: boolean): readonly string[] {
  return demoWallet ? [PHANTOM, MOBILE_WALLET, DEMO_WALLET] : [PHANTOM, MOBILE_WALLET]
}

/** True where a registered wallet is one that the market offers and has every feature the market needs. */
export function isMarketWallet(wallet: Wallet, names: readonly string[]): wallet is MarketWallet {
  const has = (feature: string) => feature in wallet.features
  const pays = has(SolanaSignTransaction) || has(SolanaSignAndSendTransaction)
  return names.includes(wallet.name) && has(StandardConnect) && has(StandardEvents) && has(SolanaSignMessage) && pays
}

/** The Wallet Standard name of a network. */
export function chainOf(network: PublicConfig['network']): IdentifierString {
  return `solana:${network}`
}

/** Version 0, or legacy for a wallet that supports only that. */
export function transactionVersion(wallet: MarketWallet): SolanaTransactionVersion {
  const feature = wallet.features[SolanaSignTransaction] ?? wallet.features[SolanaSignAndSendTransaction]
  return feature?.supportedTransactionVersions.includes(0) ? 0 : 'legacy'
}

/** True where the wallet hands the signed bytes back, so that our server can record them before it sends them. */
export function signsWithoutSending(wallet: MarketWallet): boolean {
  return wallet.features[SolanaSignTransaction] !== undefined
}

/** Asks the wallet to connect; gives the first Solana account. */
export async function connectAccount(wallet: MarketWallet): Promise<WalletAccount | undefined> {
  const { accounts } = await wallet.features[StandardConnect].connect()
  return firstSolanaAccount(accounts) ?? firstSolanaAccount(wallet.accounts)
}

export function firstSolanaAccount(accounts: readonly WalletAccount[]): WalletAccount | undefined {
  return accounts.find((account) => account.chains.some((chain) => chain.startsWith('solana:')))
}

export async function disconnectAccount(wallet: MarketWallet): Promise<void> {
  await wallet.features[StandardDisconnect]?.disconnect()
}

/** Calls back whenever the wallet's accounts change. Gives back the way to stop listening. */
export function onAccountsChanged(wallet: MarketWallet, listener: () => void): () => void {
  return wallet.features[StandardEvents].on('change', ({ accounts }) => {
    if (accounts) listener()
  })
}

/** The 64 bytes of the wallet's signature under a message. */
export async function signMessage(wallet: MarketWallet, account: WalletAccount, message: string): Promise<Uint8Array> {
  const [output] = await wallet.features[SolanaSignMessage].signMessage({ account, message: new TextEncoder().encode(message) })
  if (!output) throw new Error('the wallet gave no signature')
  return output.signature
}

/** The signed bytes of a transaction, nothing sent. */
export async function signTransaction(
  wallet: MarketWallet,
  account: WalletAccount,
  transaction: Uint8Array,
  chain: IdentifierString,
): Promise<Uint8Array> {
  const feature = wallet.features[SolanaSignTransaction]
  const input = wallet.chains.includes(chain) ? { account, transaction, chain } : { account, transaction }
  const [output] = (await feature?.signTransaction(input)) ?? []
  if (!output) throw new Error('the wallet gave no signed transaction')
  return output.signedTransaction
}

/** Has the wallet sign and broadcast a transaction through its own node; gives the 64 bytes of its signature. */
export async function signAndSend(
  wallet: MarketWallet,
  account: WalletAccount,
  transaction: Uint8Array,
  chain: IdentifierString,
): Promise<Uint8Array> {
  const feature = wallet.features[SolanaSignAndSendTransaction]
  const [output] = (await feature?.signAndSendTransaction({ account, transaction, chain })) ?? []
  if (!output) throw new Error('the wallet gave no signature')
  return output.signature
}
