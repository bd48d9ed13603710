import { type Studio } from '../studio-client.ts'
import { createWallet, type TestWallet } from '../../sign-in/wallet.ts'

export interface Member {
  wallet: TestWallet
  /** The session JWT. */
  token: string
}

/** Signs a wallet in, as any player does. */
export async function signInAt(origin: string, wallet: TestWallet = createWallet()): Promise<Member> {
  const post = async (path: string, body: object): Promise<ReturnType<typeof JSON.parse>> => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${origin}/api/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  const { message } = await post('nonce', { walletAddress: wallet.address })
  const { token } = await post('verify', { walletAddress: wallet.address, signature: wallet.sign(message) })
  return { wallet, token }
}

/** Somebody with a new wallet, who is put on the staff if a body for that call is given. */
export async function memberOfStaff({ origin, call }: Pick<Studio, 'origin' | 'call'>, wish?: object): Promise<Member> {
  const member = await signInAt(origin)
  if (!wish) return member
  const { status, body } = await call('PUT', `/staff/${member.wallet.address}`, { body: wish })
  if (status !== 200) throw new Error(`not on the staff: ${JSON.stringify(body)}`)
  return member
}

export interface Signature {
  challenge: string
  signature: string
}

/** What somebody does at the desk of a server. */
export function deskOf({ origin }: Pick<Studio, 'origin'>, { wallet, token }: Member) {
  /** @param text the body as it is sent */
  const call = async (
    method: string,
    path: string,
    { text, signed }: { text?: string | undefined; signed?: Partial<Signature> | undefined } = {},
  ) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...(signed?.challenge !== undefined && { 'studio-challenge': signed.challenge }),
      ...(signed?.signature !== undefined && { 'studio-signature': signed.signature }),
    }
    const reply = await fetch(`${origin}/api/studio${path}`, { method, headers, ...(text !== undefined && { body: text }) })
    return { status: reply.status, body: (await reply.json()) as ReturnType<typeof JSON.parse> }
  }
  const challenge = (method: string, path: string, text?: string) =>
    call('POST', '/challenges', { text: JSON.stringify({ method, path: `/api/studio${path}`, ...(text !== undefined && { body: text }) }) })
  /** Asks for a challenge, and signs it. */
  const sign = async (method: string, path: string, text?: string): Promise<Signature & { message: string }> => {
    const { status, body } = await challenge(method, path, text)
    if (status !== 201) throw new Error(`no challenge: ${JSON.stringify(body)}`)
    return { challenge: body.challenge.id, message: body.challenge.message, signature: wallet.sign(body.challenge.message) }
  }
  /** Makes a call with a fresh signature. */
  const callSigned = async (method: string, path: string, body?: object) => {
    const text = body && JSON.stringify(body)
    return call(method, path, { text, signed: await sign(method, path, text) })
  }
  return { wallet, token, call, get: (path: string) => call('GET', path), challenge, sign, callSigned }
}

/** The desk of somebody with a new wallet, as `memberOfStaff`. */
export async function openDesk(studio: Pick<Studio, 'origin' | 'call'>, wish?: object) {
  return deskOf(studio, await memberOfStaff(studio, wish))
}
