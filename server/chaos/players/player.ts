import { type ApiClient, createApiClient } from './api-client.ts'
import { type ChainClient } from './chain-client.ts'
import { type Journal } from './journal.ts'
import { type Shop } from '../studio/shop.ts'
import { createWallet, signText, type Wallet } from './wallet.ts'

/** What all players of a run share. */
export interface Run {
  seed: number
  slotMillis: number
  /** The chain as wallets reach it: directly, not through the proxy. */
  chain: ChainClient
  journal: Journal
  /** The game, which sells through checkouts. */
  shop: Shop
  feeBasisPoints: number
  /** Once aborted, no purchase, listing or refund is started. */
  closing: AbortSignal
  /** Has the endpoint of the servers send a message under another signature of its buyer than it gets from them. */
  sendInstead(signature: string, other: string): void
}

/** A buyer or seller: a wallet with SOL and a signed-in client. */
export interface Player {
  name: string
  wallet: Wallet
  api: ApiClient
  /** Another wallet of an attacker, to which its SOL goes after each approval. */
  vault?: Wallet
}

export const STARTING_LAMPORTS = 100_000_000_000

export async function createPlayer(
  run: Pick<Run, 'seed' | 'chain'>,
  name: string,
  client: { urls: () => readonly string[]; localAddress: string | undefined },
): Promise<Player> {
  const wallet = await createWallet(run.seed, name)
  await run.chain.call('requestAirdrop', [wallet.address, STARTING_LAMPORTS])
  const api = createApiClient(client)
  api.bearer = await signIn(api, wallet)
  return { name, wallet, api }
}

async function signIn(api: ApiClient, wallet: Wallet): Promise<string> {
  const walletAddress = wallet.address
  const nonce = await api.callWithRetries({ method: 'POST', path: '/api/auth/nonce', body: { walletAddress } })
  const signature = await signText(wallet, String(nonce?.body['message']))
  const answer = await api.callWithRetries({ method: 'POST', path: '/api/auth/verify', body: { walletAddress, signature } })
  if (answer?.status !== 200) throw new Error(`${walletAddress} cannot sign in: ${JSON.stringify(answer)}`)
  return String(answer.body['token'])
}
