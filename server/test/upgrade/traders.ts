import { base58 } from '@scure/base'
import { signBytes } from '@solana/kit'

import { signPayment, type TradingWorld, type Wallet } from '../purchases/trading-world.ts'

/** Players who trade without a pause, each time a buyer and a seller, and call everything that they can call. */
export interface Traders {
  /** The calls that no player should ever see fail: those that broke off, and those that a server answered with 500 or more. */
  failures(): string[]
  calls(): number
  delivered(): number
  stop(): Promise<void>
}

const MARKET = '/api/marketplace'

interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- what these calls answer is tested elsewhere
  body: any
}

export async function startTraders(world: TradingWorld, url: string, pairs: number): Promise<Traders> {
  const failures: string[] = []
  let calls = 0
  let delivered = 0
  const stopping = new AbortController()

  const call = async (method: string, path: string, token?: string, body?: unknown): Promise<Answer> => {
    calls += 1
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    try {
      const reply = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
      const text = await reply.text()
      if (reply.status >= 500) failures.push(`${method} ${path}: ${reply.status} ${text}`)
      return { status: reply.status, body: reply.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined }
    } catch (error) {
      failures.push(`${method} ${path}: ${String(error)} ${String(error instanceof Error ? error.cause : '')}`)
      return { status: 0, body: undefined }
    }
  }

  const signIn = async (wallet: Wallet): Promise<string> => {
    const nonce = await call('POST', '/api/auth/nonce', undefined, { walletAddress: wallet.address })
    const message = new TextEncoder().encode(nonce.body.message)
    const signature = base58.encode(await signBytes(wallet.signer.keyPair.privateKey, message))
    return (await call('POST', '/api/auth/verify', undefined, { walletAddress: wallet.address, signature })).body.token
  }

  const browse = async (wallet: Wallet, token: string) => {
    await call('GET', `${MARKET}/listings`)
    await call('GET', `${MARKET}/listings?sort=unitPrice&tokenType=APPLE_JUICE&limit=7`)
    await call('GET', `${MARKET}/listings?search=${wallet.address.slice(0, 4)}`)
    await call('GET', `${MARKET}/my-listings?status=all`, token)
    await call('GET', `${MARKET}/my-purchases`, token)
    await call('GET', `${MARKET}/cases`, token)
    await call('GET', `/api/tokens/balance/${wallet.address}`, token)
    await call('GET', '/api/auth/me', token)
  }

  const pay = async (buyer: Wallet, token: string, details: Parameters<typeof signPayment>[2]) => {
    const payment = await signPayment(world, buyer, details)
    await call('POST', `${MARKET}/purchases/${details.purchaseId}/payment`, token, { transaction: payment.base64 })
    const confirmation = { listingId: details.listingId, transactionSignature: payment.signature }
    while (!stopping.signal.aborted) {
      const { status } = await call('POST', `${MARKET}/confirm-purchase`, token, confirmation)
      if (status === 200) delivered += 1
      if (status === 200 || status === 0) return
    }
  }

  const trade = async (pair: number) => {
    const [seller, buyer] = await Promise.all([world.createWallet(), world.createWallet()])
    const [sellerToken, buyerToken] = [await signIn(seller), await signIn(buyer)]
    const order = { tokenName: 'Apple Juice', price: 0.1 + pair / 1_000, amount: 3 }
    for (const purchase of ['paid', 'cancelled', 'never made']) {
      const created = await call('POST', `${MARKET}/listings`, sellerToken, order)
      const path = created.body?.listing?._id
      if (purchase === 'never made') await call('DELETE', `${MARKET}/listings/${path}`, sellerToken)
      else {
        const bought = await call('POST', `${MARKET}/buy/${path}`, buyerToken, { sendsThrough: 'server' })
        const details = bought.body?.transactionDetails
        if (purchase === 'cancelled') await call('DELETE', `${MARKET}/purchases/${details?.purchaseId}`, buyerToken)
        else if (details) await pay(buyer, buyerToken, details)
      }
      await browse(purchase === 'paid' ? seller : buyer, purchase === 'paid' ? sellerToken : buyerToken)
    }
  }

  const tradeOn = async (pair: number) => {
    while (!stopping.signal.aborted) await trade(pair)
  }
  const trading = Promise.all(Array.from({ length: pairs }, (_, pair) => tradeOn(pair)))
  return {
    failures: () => failures,
    calls: () => calls,
    delivered: () => delivered,
    stop: async () => {
      stopping.abort()
      await trading
    },
  }
}
