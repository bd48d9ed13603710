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

/** The Wallet Standard name of a network. */
export function chainOf(network: PublicConfig['network']): IdentifierString {
  return `solana:${network}`
}

/** What wallets are asked to sign (specification, section 1), the better one first. A wallet may return version 1: the server accepts it. */
const transactionVersions = [0, 'legacy'] as const satisfies readonly SolanaTransactionVersion[]

/** The transaction version to build for a wallet: 0, or legacy if it does not support that. */
export function transactionVersion(wallet: MarketWallet): SolanaTransactionVersion {
  const feature = wallet.features[SolanaSignTransaction] ?? wallet.features[SolanaSignAndSendTransaction]
  return transactionVersions.find((version) => feature?.supportedTransactionVersions.includes(version)) ?? 'legacy'
}

/** True if the wallet returns the signed bytes, so that the server can record them before it sends them. */
export function signsWithoutSending(wallet: MarketWallet): boolean {
  return wallet.features[SolanaSignTransaction] !== undefined
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

/** @returns the 64 bytes of the account's signature over `message` */
export async function signMessage(wallet: MarketWallet, account: WalletAccount, message: string): Promise<Uint8Array> {
  const [output] = await wallet.features[SolanaSignMessage].signMessage({ account, message: new TextEncoder().encode(message) })
  if (!output) throw new Error('the wallet returned no signature')
  return output.signature
}

/**
 * Has the wallet sign a transaction and send nothing.
 *
 * @returns the signed transaction bytes
 */
export async function signTransaction(
  wallet: MarketWallet,
  account: WalletAccount,
  transaction: Uint8Array,
  chain: IdentifierString,
): Promise<Uint8Array> {
  const feature = wallet.features[SolanaSignTransaction]
  const input = wallet.chains.includes(chain) ? { account, transaction, chain } : { account, transaction }
  const [output] = (await feature?.signTransaction(input)) ?? []
  if (!output) throw new Error('the wallet returned no signed transaction')
  return output.signedTransaction
}

/**
 * Has the wallet sign a transaction and send it through its own RPC endpoint.
 *
 * @returns the 64 bytes of the transaction's signature
 */
export async function signAndSend(
  wallet: MarketWallet,
  account: WalletAccount,
  transaction: Uint8Array,
  chain: IdentifierString,
): Promise<Uint8Array> {
  const feature = wallet.features[SolanaSignAndSendTransaction]
  const [output] = (await feature?.signAndSendTransaction({ account, transaction, chain })) ?? []
  if (!output) throw new Error('the wallet returned no signature')
  return output.signature
}
