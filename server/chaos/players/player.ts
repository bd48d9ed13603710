import { type ApiClient, createApiClient } from './api-client.ts'
import { type ChainClient } from './chain-client.ts'
import { type Journal } from './journal.ts'
import { createWallet, signText, type Wallet } from './wallet.ts'

/** What every client of a run shares. */
export interface Run {
  seed: number
  /** The chain as wallets reach it, not through the proxy. */
  chain: ChainClient
  journal: Journal
  /** No new purchase, listing or refund is begun once this is aborted. */
  closing: AbortSignal
}

/** A player: a wallet, and a client that is signed in. */
export interface Trader {
  name: string
  wallet: Wallet
  api: ApiClient
}

export interface Entrance {
  urls: readonly string[]
  localAddress: string | undefined
}

export const STARTING_LAMPORTS = 100_000_000_000

/** Lets a player enter: with SOL, and signed in. */
export async function enterTrader(run: Run, name: string, { urls, localAddress }: Entrance): Promise<Trader> {
  const wallet = await createWallet(run.seed, name)
  await run.chain.ask('requestAirdrop', [wallet.address, STARTING_LAMPORTS])
  const api = createApiClient({ urls, localAddress })
  api.token = await signIn(api, wallet)
  return { name, wallet, api }
}

async function signIn(api: ApiClient, wallet: Wallet): Promise<string> {
  const walletAddress = wallet.address
  const asked = await api.insist({ method: 'POST', path: '/api/auth/nonce', body: { walletAddress } })
  const signature = await signText(wallet, String(asked?.body['message']))
  const answer = await api.insist({ method: 'POST', path: '/api/auth/verify', body: { walletAddress, signature } })
  if (answer?.status !== 200) throw new Error(`${walletAddress} cannot sign in: ${JSON.stringify(answer)}`)
  return String(answer.body['token'])
}
