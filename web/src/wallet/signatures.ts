import { type PublicConfig } from '@juicebar/contract/schemas'
import {
  SolanaSignAndSendTransaction,
  SolanaSignMessage,
  SolanaSignTransaction,
  type SolanaTransactionVersion,
} from '@solana/wallet-standard-features'
import { type IdentifierString, type WalletAccount } from '@wallet-standard/base'

import { WalletError } from './wallet-error.ts'
import { type Connection, useWallet } from './wallet-store.ts'
import { type MarketWallet } from './wallet.ts'

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

/** @throws WalletError if no wallet is connected */
export function requireConnection(): Connection {
  const { connected } = useWallet.getState()
  if (!connected) throw new WalletError('missing')
  return connected
}
