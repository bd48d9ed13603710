import { type WalletAccount } from '@wallet-standard/base'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { type MarketWallet } from '../../src/wallet/wallet.ts'
import { awaitWallet, buttonState, connectWallet, disconnectWallet, useWallet } from '../../src/wallet/wallet-store.ts'

const account = (address: string): WalletAccount => ({ address, publicKey: new Uint8Array(32), chains: ['solana:devnet'], features: [] })

/** A wallet that answers with the account it had when it was asked. `show` is what the person does inside the wallet. */
function openWallet({ listsAccounts = true } = {}) {
  let current: WalletAccount[] = []
  const listeners = new Set<(change: object) => void>()
  const show = (...addresses: string[]) => {
    current = addresses.map(account)
    for (const listener of listeners) listener({ accounts: current })
  }
  const connect = async () => {
    show('first')
    return { accounts: current }
  }
  const on = (_: string, listener: (change: object) => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const wallet = {
    name: 'Phantom',
    get accounts() {
      return listsAccounts ? current : []
    },
    features: { 'standard:connect': { connect }, 'standard:events': { on } },
  } as unknown as MarketWallet
  useWallet.setState({ present: [wallet] })
  return { show }
}

const connectedAddress = () => useWallet.getState().connected?.account.address

describe('a connected wallet', () => {
  beforeEach(() => {
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined })
  })
  afterEach(async () => {
    await disconnectWallet()
    vi.unstubAllGlobals()
  })

  test('is used with the account that it shared', async () => {
    openWallet()
    await connectWallet('Phantom')
    expect(connectedAddress()).toBe('first')
  })

  test('is used with the account that it shared even if its own list stays empty', async () => {
    openWallet({ listsAccounts: false })
    await connectWallet('Phantom')
    expect(connectedAddress()).toBe('first')
  })

  test('is followed to another account, and is gone when it shares none', async () => {
    const { show } = openWallet()
    await connectWallet('Phantom')
    show('second')
    expect(connectedAddress()).toBe('second')
    show()
    expect(useWallet.getState().connected).toBeUndefined()
  })

  test('is used with the account to which the person switched while its answer was on its way', async () => {
    const { show } = openWallet()
    const connected = connectWallet('Phantom')
    show('second')
    await connected
    expect(connectedAddress()).toBe('second')
  })
})

describe('a wallet that was chosen earlier', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    useWallet.setState({ present: [], chosen: 'Phantom' })
  })
  afterEach(() => {
    vi.useRealTimers()
    useWallet.setState({ present: [], chosen: undefined })
  })

  test('is waited for until it registers, while the button says that it connects', async () => {
    const waiting = awaitWallet('Phantom')
    expect(buttonState(useWallet.getState())).toBe('connecting')
    openWallet()
    expect(await waiting).toBe(true)
    expect(buttonState(useWallet.getState())).toBe('has-wallet')
  })

  test('is not waited for for ever', async () => {
    const waiting = awaitWallet('Phantom')
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await waiting).toBe(false)
    expect(buttonState(useWallet.getState())).toBe('has-wallet')
  })
})
