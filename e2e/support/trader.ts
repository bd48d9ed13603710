import { type Reply } from '@juicebar/contract/calls'
import { base58 } from '@scure/base'

import { type Wallet } from './phantom.ts'

/** Somebody who is signed in, seen from outside of any page. */
export interface Trader {
  address: string
  /** Where the market is. */
  origin: string
  wallet: Wallet
  jwt: string
  /** Makes a call of the API with the session. Throws unless it succeeds. */
  call<Answer = unknown>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer>
}

/** Signs in as a program would. */
export async function signInByApi(wallet: Wallet, origin: string): Promise<Trader> {
  const { address } = wallet
  const { message } = await send<Reply<'requestNonce'>>('POST', `${origin}/api/auth/nonce`, {}, { walletAddress: address })
  const signature = base58.encode(await wallet.signMessage(message))
  const { token } = await send<Reply<'verifySignature'>>('POST', `${origin}/api/auth/verify`, {}, { walletAddress: address, signature })
  const headers = { authorization: `Bearer ${token}` }
  return { address, origin, wallet, jwt: token, call: (method, path, body) => send(method, `${origin}/api/${path}`, headers, body) }
}

async function send<Answer>(method: string, url: string, session: Record<string, string>, body?: object): Promise<Answer> {
  const headers = { ...session, ...(body && { 'content-type': 'application/json' }) }
  const reply = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${url} was answered with ${reply.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}
