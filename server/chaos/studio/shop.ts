import { setTimeout as delay } from 'node:timers/promises'

import { type ApiClient, type Answer } from '../players/api-client.ts'
import { type Journal } from '../players/journal.ts'
import { between, happens, type Path, pickWeighted } from '../seeded-random.ts'
import { tally } from '../tally.ts'

/** The game's server that makes checkouts for players. */
export interface Shop {
  api: ApiClient
  /** @returns undefined if the market did not make it */
  sell(path: Path, wish: CheckoutWish): Promise<OpenCheckout | undefined>
  /** Ends it a moment later, unless somebody pays. */
  end(path: Path, checkout: OpenCheckout): Promise<void>
}

export interface OpenCheckout {
  /** The game's own name for it. */
  name: string
  id: string
  publicId: string
}

export interface CheckoutWish {
  tokenType: string
  amount: number
  /** What it costs by the market that the player sees, in lamports. */
  shown: bigint
  player: string
  /** A wallet of somebody else. */
  stranger: string
}

export const GAME_ORIGIN = 'https://game.example'

/** What a checkout may cost: anything, plenty, what the market shows, or less than that. */
const limits = { none: 0.3, plenty: 0.3, shown: 0.3, less: 0.1 }
/** Whose wallet may pay. */
const payers = { anyone: 0.5, player: 0.45, stranger: 0.05 }
/** Probabilities: per checkout. */
const EVERYWHERE = 0.2
const ASKS_AGAIN = 0.3
/** Some expire during the run. */
const EXPIRES_SECONDS = 60
const ENDS_MILLIS = { low: 0, high: 4_000 }

interface Reply {
  id: string
  url: string
}

export function createShop(seed: number, api: ApiClient, journal: Journal, feeBasisPoints: number): Shop {
  function mostOf(path: Path, shown: bigint): bigint | undefined {
    const withFee = shown + (shown * BigInt(feeBasisPoints)) / 10_000n
    switch (pickWeighted(seed, [...path, 'limit'], limits)) {
      case 'plenty':
        return withFee * 2n
      case 'shown':
        return withFee
      case 'less':
        return withFee - 1n
      default:
        return undefined
    }
  }

  function payerOf(path: Path, { player, stranger }: CheckoutWish): string | undefined {
    const payer = pickWeighted(seed, [...path, 'payer'], payers)
    return payer === 'anyone' ? undefined : payer === 'stranger' ? stranger : player
  }

  /** One key makes one checkout, whichever server is asked, and never another one. */
  async function make(name: string, path: Path, body: Record<string, unknown>): Promise<Reply | undefined> {
    const call = { method: 'POST', path: '/api/studio/checkouts', body: { ...body, idempotencyKey: name } } as const
    const others = happens(seed, [...path, 'everywhere'], EVERYWHERE) ? await api.callEverywhere(call) : []
    const answer = await api.callWithRetries(call)
    const made = replyIn(answer)
    if (!made) tally(journal.refusals, `no checkout: ${answer?.code ?? 'no answer'}`)
    const again = happens(seed, [...path, 'again'], ASKS_AGAIN) ? replyIn(await api.callWithRetries(call)) : undefined
    const ids = new Set([...others.map(replyIn), made, again].flatMap((reply) => reply?.id ?? []))
    if (ids.size > 1) journal.unexpected.push(`${name}: one key made ${ids.size} checkouts`)
    if (again) {
      const other = await api.callWithRetries({ ...call, body: { ...call.body, amount: Number(body['amount']) + 1 } })
      if (other && other.code !== 'IDEMPOTENCY_KEY_REUSED') journal.unexpected.push(`${name}: its key made another checkout`)
    }
    return made
  }

  return {
    api,
    sell: async (path, wish) => {
      const at = [...path, 'checkout']
      const name = at.join(' ')
      const { tokenType, amount } = wish
      const maxLamports = mostOf(at, wish.shown)
      const wallet = payerOf(at, wish)
      const asked = { tokenType, amount, maxLamports, wallet, id: undefined, isEnded: false }
      journal.checkouts.set(name, asked)
      const made = await make(name, at, {
        tokenType,
        amount,
        maxLamports: maxLamports === undefined ? undefined : String(maxLamports),
        wallet,
        clientReference: name,
        returnUrl: `${GAME_ORIGIN}/shop`,
        expiresInSeconds: EXPIRES_SECONDS,
      })
      if (!made) return undefined
      journal.checkouts.set(name, { ...asked, id: made.id })
      return { name, id: made.id, publicId: made.url.split('/').at(-1) ?? '' }
    },
    end: async (path, { name, id }) => {
      await delay(between(seed, [...path, 'ends'], ENDS_MILLIS.low, ENDS_MILLIS.high))
      const answer = await api.callWithRetries({ method: 'POST', path: `/api/studio/checkouts/${id}/expire` })
      if (answer?.status !== 200) return tally(journal.refusals, answer?.code ?? 'no answer')
      const asked = journal.checkouts.get(name)
      if (asked) asked.isEnded = true
    },
  }
}

function replyIn(answer: Answer | undefined): Reply | undefined {
  return answer?.status === 201 ? (answer.body['checkout'] as Reply) : undefined
}
