import { getWallets } from '@wallet-standard/app'
import { type WalletAccount } from '@wallet-standard/base'
import { create } from 'zustand'

import { disconnectAccount, firstSolanaAccount, isMarketWallet, type MarketWallet, onAccountsChanged, requestAccounts } from './wallet.ts'

/** A connected wallet. `connection` counts up with each connect and each switch of account. */
export interface Connection {
  wallet: MarketWallet
  account: WalletAccount
  connection: number
}

export interface WalletState {
  /** The offered wallets that this browser has, in the order of the offer. */
  present: readonly MarketWallet[]
  chosen: string | undefined
  phase: 'idle' | 'connecting' | 'disconnecting'
  connected: Connection | undefined
  pickerOpen: boolean
  /** The listing that whoever has the picker open wants to buy. */
  wanted?: string | undefined
  /** Why no wallet on this phone could be reached; undefined while its dialog is closed. */
  mobileProblem: string | undefined
}

export type ButtonState = 'no-wallet' | 'has-wallet' | 'connecting' | 'connected' | 'disconnecting'

/** How long a wallet may take to answer a person's click, in milliseconds. */
export const WALLET_TIMEOUT_MS = 120_000
const DISCONNECT_TIMEOUT_MS = 2_000
/** How long after a person's click a wallet may still register, in milliseconds. */
const LATE_WALLET_MS = 3_000

/** Everything the app knows about the person's wallet. */
export const useWallet = create<WalletState>()(() => ({
  present: [],
  chosen: undefined,
  phase: 'idle',
  connected: undefined,
  pickerOpen: false,
  mobileProblem: undefined,
}))

let connections = 0
let stopFollowing: (() => void) | undefined

/** What the wallet button shows (specification, section 2). */
export function buttonState({ phase, connected, chosen }: Pick<WalletState, 'phase' | 'connected' | 'chosen'>): ButtonState {
  if (phase !== 'idle') return phase
  if (connected) return 'connected'
  return chosen ? 'has-wallet' : 'no-wallet'
}

export function openPicker(): void {
  openPickerFor(undefined)
}

/** @param wanted the listing that somebody without a wallet wants to buy */
export function openPickerFor(wanted: string | undefined): void {
  useWallet.setState({ pickerOpen: true, wanted })
}

export function closePicker(): void {
  useWallet.setState({ pickerOpen: false, wanted: undefined })
}

/** Opens the dialog that says why no wallet on this phone can be reached; undefined closes it. */
export function showMobileProblem(mobileProblem: string | undefined): void {
  useWallet.setState({ mobileProblem })
}

/**
 * Remembers which wallet was chosen at an earlier visit, and keeps the list of present wallets up to date, also for those that register late.
 *
 * @param names the wallets to offer, in order
 * @returns a function that stops watching
 */
export function watchWallets(names: readonly string[]): () => void {
  const { chosen = readChosenWallet() } = useWallet.getState()
  if (chosen !== undefined) useWallet.setState({ chosen })
  const registry = getWallets()
  const refresh = () => {
    const registered = registry.get().filter((wallet) => isMarketWallet(wallet, names))
    useWallet.setState({ present: names.flatMap((name) => registered.find((wallet) => wallet.name === name) ?? []) })
  }
  refresh()
  const stops = [registry.on('register', refresh), registry.on('unregister', refresh)]
  return () => stops.forEach((stop) => stop())
}

/** @returns whether this browser has the wallet, as far as it has registered yet */
export function isPresent(name: string): boolean {
  return useWallet.getState().present.some((wallet) => wallet.name === name)
}

/**
 * Waits for a wallet that has not registered yet: an extension takes its time, and the Demo Wallet reads its key first. Meanwhile the
 * button says that it connects.
 *
 * @returns whether this browser has it
 */
export async function awaitWallet(name: string): Promise<boolean> {
  useWallet.setState({ phase: 'connecting' })
  await new Promise<void>((resolve) => {
    const end = () => {
      stop()
      clearTimeout(timer)
      resolve()
    }
    const stop = useWallet.subscribe(() => isPresent(name) && end())
    const timer = setTimeout(end, LATE_WALLET_MS)
  })
  useWallet.setState({ phase: 'idle' })
  return isPresent(name)
}

/**
 * Connects a wallet and remembers it as the chosen one.
 *
 * @throws WalletError
 */
export async function connectWallet(name: string): Promise<void> {
  const wallet = useWallet.getState().present.find((candidate) => candidate.name === name)
  if (!wallet) throw new (await import('./wallet-error.ts')).WalletError('missing')
  if (useWallet.getState().connected) await disconnectWallet()
  writeChosenWallet(name)
  useWallet.setState({ chosen: name, phase: 'connecting' })
  // Asked before anything is downloaded: a wallet may open its window only in the moment of the person's click.
  const answer = requestAccounts(wallet)
  answer.catch(() => undefined)
  try {
    const { WalletError, withTimeout } = await import('./wallet-error.ts')
    const shared = await withTimeout(answer, WALLET_TIMEOUT_MS)
    // The wallet's own list comes first: the person may have switched accounts since it answered.
    const account = firstSolanaAccount(wallet.accounts) ?? firstSolanaAccount(shared)
    if (!account) throw new WalletError('unauthorized')
    stopFollowing = onAccountsChanged(wallet, () => followAccount(wallet))
    useWallet.setState({ phase: 'idle', connected: { wallet, account, connection: ++connections } })
  } catch (error) {
    useWallet.setState({ phase: 'idle' })
    throw error
  }
}

/** Disconnects and forgets the chosen wallet. Never rejects. */
export async function disconnectWallet(): Promise<void> {
  const { connected } = useWallet.getState()
  forgetConnection()
  useWallet.setState({ phase: 'disconnecting' })
  // A wallet that fails to disconnect, or does not answer, is still forgotten here.
  if (connected) await endConnection(connected.wallet).catch(() => undefined)
  if (useWallet.getState().phase === 'disconnecting') useWallet.setState({ phase: 'idle' })
}

async function endConnection(wallet: MarketWallet): Promise<void> {
  const answer = disconnectAccount(wallet)
  answer.catch(() => undefined)
  const { withTimeout } = await import('./wallet-error.ts')
  await withTimeout(answer, DISCONNECT_TIMEOUT_MS)
}

function followAccount(wallet: MarketWallet): void {
  const { connected } = useWallet.getState()
  if (connected?.wallet !== wallet) return
  const account = firstSolanaAccount(wallet.accounts)
  if (!account) forgetConnection()
  else if (account.address !== connected.account.address) {
    useWallet.setState({ connected: { wallet, account, connection: ++connections } })
  }
}

function forgetConnection(): void {
  stopFollowing?.()
  stopFollowing = undefined
  writeChosenWallet(undefined)
  useWallet.setState({ connected: undefined, chosen: undefined })
}

/** The local storage key of the chosen wallet's name, as JSON like in other Solana apps (specification, section 9). */
const CHOSEN_KEY = 'walletName'

/** @returns the name of the wallet that was chosen last; undefined if there is none */
function readChosenWallet(): string | undefined {
  try {
    const name: unknown = JSON.parse(localStorage.getItem(CHOSEN_KEY) ?? 'null')
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

/** `undefined` forgets the chosen wallet. */
function writeChosenWallet(name: string | undefined): void {
  if (name === undefined) localStorage.removeItem(CHOSEN_KEY)
  else localStorage.setItem(CHOSEN_KEY, JSON.stringify(name))
}
