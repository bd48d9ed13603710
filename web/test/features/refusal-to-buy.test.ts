import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { solQuery } from '../../src/api/chain.ts'
import { configQuery } from '../../src/api/queries.ts'
import { refuseOrProceed } from '../../src/features/purchase/flow/refusal-to-buy.ts'
import { signedOut, useSession } from '../../src/session/session-store.ts'
import { useWallet } from '../../src/wallet/wallet-store.ts'
import { listing } from '../support/listing.ts'
import { coSigning } from '../support/purchase-run.ts'

const walletAddress = 'buyer'
const connected = { wallet: { features: { 'solana:signTransaction': {} } }, account: { address: walletAddress } } as never

function signIn(as: string) {
  useSession.setState({ authorization: 'signed-in', user: { walletAddress: as } as never })
}

/** A press on Buy of a listing, by the wallet. */
function press() {
  const client = new QueryClient()
  client.setQueryData(configQuery.queryKey, coSigning)
  client.setQueryData(solQuery(walletAddress).queryKey, 10n ** 12n)
  const press = new AbortController()
  const answers = { proceed: vi.fn<() => void>(), onRefusal: vi.fn<(why: string) => void>() }
  const done = refuseOrProceed(
    { wanted: listing({ seller: 'seller' }), walletAddress, client, signal: press.signal, since: performance.now() },
    answers,
  )
  return { ...answers, done, abort: () => press.abort() }
}

describe('a press on Buy before it is known who is signed in', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    useSession.setState({ ...signedOut, authorization: 'checking' })
    useWallet.setState({ connected })
  })
  afterEach(() => {
    vi.useRealTimers()
    useWallet.setState({ connected: undefined })
    useSession.setState(signedOut)
  })

  test('goes on once that is known', async () => {
    const { proceed, onRefusal, done } = press()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(proceed).not.toHaveBeenCalled()
    signIn(walletAddress)
    await done
    expect(proceed).toHaveBeenCalledOnce()
    expect(onRefusal).not.toHaveBeenCalled()
  })

  test('counts once, however often it is repeated', async () => {
    const first = press()
    first.abort()
    const last = press()
    signIn(walletAddress)
    await Promise.all([first.done, last.done])
    expect(first.proceed).not.toHaveBeenCalled()
    expect(last.proceed).toHaveBeenCalledOnce()
  })

  test('buys nothing later than anybody expects it, and says so', async () => {
    const { proceed, onRefusal, done } = press()
    await vi.advanceTimersByTimeAsync(10_000)
    signIn(walletAddress)
    await done
    expect(proceed).not.toHaveBeenCalled()
    expect(onRefusal).toHaveBeenCalledWith(expect.stringContaining('Nothing was bought'))
  })

  test.each([
    ['somebody else is signed in', () => signIn('somebody else')],
    ['nobody is signed in', () => useSession.setState(signedOut)],
    [
      'the wallet was disconnected meanwhile',
      () => {
        useWallet.setState({ connected: undefined })
        signIn(walletAddress)
      },
    ],
  ])('does nothing if %s', async (_, happen) => {
    const { proceed, onRefusal, done } = press()
    happen()
    await done
    expect(proceed).not.toHaveBeenCalled()
    expect(onRefusal).not.toHaveBeenCalled()
  })
})
