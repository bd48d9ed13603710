import { setTimeout as delay } from 'node:timers/promises'

import { type Wallet } from '../../chaos/players/wallet.ts'

export interface Buyer {
  wallet: Wallet
  jwt: string
  /** The forwarded address that the buyer calls from, since limits count by address. */
  address: string
}

export interface Answer {
  status: number
  code: string
  body: Record<string, unknown>
}

/** The market's calls as one buyer makes them during one purchase. */
export interface BuyerApi {
  post(path: string, body: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
  /** Posts the same again as long as the answer is an error of the server, or 429. */
  postUntilAnswered(path: string, body: unknown): Promise<Answer>
  /** The buyer's patience is at an end. */
  isOver(): boolean
}

const RETRY_MILLIS = 500
/** Longer than a hold and the life of a blockhash. */
const PATIENCE_MILLIS = 150_000

/** @param failed called with the error code of every reply that is an error */
export function createBuyerApi(url: string, buyer: Buyer, failed: (code: string) => void): BuyerApi {
  const deadline = performance.now() + PATIENCE_MILLIS
  const isOver = () => performance.now() > deadline
  const call = async (path: string, init: { method: string; body?: string }): Promise<Answer> => {
    const answer = await send(url + path, buyer, init)
    if (answer.status >= 400) failed(answer.code)
    return answer
  }
  const post = (path: string, body: unknown) => call(path, { method: 'POST', body: JSON.stringify(body) })
  const postUntilAnswered = async (path: string, body: unknown): Promise<Answer> => {
    for (;;) {
      const answer = await post(path, body)
      if ((answer.status < 500 && answer.status !== 429) || isOver()) return answer
      await delay(RETRY_MILLIS)
    }
  }
  return { post, get: (path) => call(path, { method: 'GET' }), postUntilAnswered, isOver }
}

const noAnswer: Answer = { status: 504, code: 'NO_ANSWER', body: {} }

async function send(url: string, { jwt, address }: Buyer, init: { method: string; body?: string }): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${jwt}`, 'x-forwarded-for': address }
  try {
    const response = await fetch(url, { ...init, headers })
    const reply: unknown = await response.json()
    const fields = typeof reply === 'object' && reply !== null ? { ...reply } : {}
    return { status: response.status, code: 'code' in fields ? String(fields.code) : '', body: fields }
  } catch {
    return noAnswer
  }
}
