import { type WalletAccount } from '@wallet-standard/base'
import { getWallets } from '@wallet-standard/app'

import { createStore } from '../ui/store.ts'
import { readChosenWallet, writeChosenWallet } from './chosen-wallet.ts'
import {
  connectAccount,
  disconnectAccount,
  firstSolanaAccount,
  isMarketWallet,
  type MarketWallet,
  offeredNames,
  onAccountsChanged,
} from './wallet.ts'
import { answerOf, WalletError } from './wallet-error.ts'

/** A connected wallet. `connection` counts up with each connect and each switch of account. */
export interface Connection {
  wallet: MarketWallet
  account: WalletAccount
  connection: number
}

export interface WalletState {
  /** The offered wallets that are there, in the order of the offer. */
  present: readonly MarketWallet[]
  chosen: string | undefined
  phase: 'idle' | 'connecting' | 'disconnecting'
  connected: Connection | undefined
}

export type ButtonState = 'no-wallet' | 'has-wallet' | 'connecting' | 'connected' | 'disconnecting'

/** How long a wallet may take to answer a person's click, in milliseconds. */
export const ANSWER_MS = 120_000

export const walletState = createStore<WalletState>({ present: [], chosen: readChosenWallet(), phase: 'idle', connected: undefined })
export const pickerOpen = createStore(false)

let connections = 0
let stopFollowing: (() => void) | undefined

/** What the wallet button shows (specification, section 2). */
export function buttonState({ phase, connected, chosen }: WalletState): ButtonState {
  if (phase !== 'idle') return phase
  if (connected) return 'connected'
  return chosen ? 'has-wallet' : 'no-wallet'
}

/** Follows the wallets that register in this page, now and later. */
export function watchWallets(demoWallet: boolean): () => void {
  const registry = getWallets()
  const names = offeredNames(demoWallet)
  const refresh = () => {
    const there = registry.get().filter((wallet) => isMarketWallet(wallet, names))
    const present = names.flatMap((name) => there.find((wallet) => wallet.name === name) ?? [])
    update({ present })
  }
  refresh()
  const stops = [registry.on('register', refresh), registry.on('unregister', refresh)]
  return () => stops.forEach((stop) => stop())
}

/** Connects the named wallet and remembers it as the chosen one. Throws `WalletError`. */
export async function connectWallet(name: string): Promise<Connection> {
  const wallet = walletState.get().present.find((candidate) => candidate.name === name)
  if (!wallet) throw new WalletError('missing')
  if (walletState.get().connected) await disconnectWallet()
  writeChosenWallet(name)
  update({ chosen: name, phase: 'connecting' })
  try {
    const account = await answerOf(connectAccount(wallet), ANSWER_MS)
    if (!account) throw new WalletError('unauthorized')
    const connected = { wallet, account, connection: ++connections }
    stopFollowing = onAccountsChanged(wallet, () => followAccount(wallet))
    update({ phase: 'idle', connected })
    return connected
  } catch (error) {
    update({ phase: 'idle' })
    throw error
  }
}

/** Disconnects and forgets the chosen wallet; a wallet that fails to answer is let go all the same. */
export async function disconnectWallet(): Promise<void> {
  const { connected } = walletState.get()
  stopFollowing?.()
  stopFollowing = undefined
  writeChosenWallet(undefined)
  update({ phase: 'disconnecting', connected: undefined, chosen: undefined })
  if (connected) await answerOf(disconnectAccount(connected.wallet), 2_000).catch(() => undefined)
  if (walletState.get().phase === 'disconnecting') update({ phase: 'idle' })
}

/** The connected wallet. Throws `WalletError` where there is none. */
export function requireConnection(): Connection {
  const { connected } = walletState.get()
  if (!connected) throw new WalletError('missing')
  return connected
}

function followAccount(wallet: MarketWallet): void {
  const { connected } = walletState.get()
  if (connected?.wallet !== wallet) return
  const account = firstSolanaAccount(wallet.accounts)
  if (!account) {
    stopFollowing?.()
    writeChosenWallet(undefined)
    update({ connected: undefined, chosen: undefined })
  } else if (account.address !== connected.account.address) {
    update({ connected: { wallet, account, connection: ++connections } })
  }
}

function update(change: Partial<WalletState>): void {
  walletState.set({ ...walletState.get(), ...change })
}
