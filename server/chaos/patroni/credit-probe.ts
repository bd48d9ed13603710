import { type ApiClient, createApiClient } from '../players/api-client.ts'
import { type Journal } from '../players/journal.ts'
import { tokens } from '../catalogue.ts'

/** Credits single tokens: writes that have a reply to wait for and must be made exactly once. */
export interface CreditProbe {
  /** One attempt, at one server. @returns why it was not acknowledged */
  write(url: string): Promise<string | undefined>
  /** Asks again for each credit that was not acknowledged. From then on the journal says how many tokens there must be. */
  settle(): Promise<{ count: number; violations: string[] }>
}

interface Options {
  urls: () => readonly string[]
  studioApiKey: string
  /** Each gets a credit in turn: one wallet's credits would wait for each other. */
  wallets: readonly string[]
  journal: Journal
}

/** More than any call should take. */
const TIMEOUT_MILLIS = 20_000
const TOKEN = tokens[0] ?? ''
const PATH = '/api/studio/credits'

interface Credit {
  walletAddress: string
  tokenType: string
  amount: 1
  idempotencyKey: string
}

export function createCreditProbe({ urls, studioApiKey, wallets, journal }: Options): CreditProbe {
  const undecided = new Set<Credit>()
  let count = 0

  function nextCredit(): Credit {
    const walletAddress = wallets[count % wallets.length] ?? ''
    count += 1
    const account = `${walletAddress} ${TOKEN}`
    journal.credits.set(account, (journal.credits.get(account) ?? 0) + 1)
    return { walletAddress, tokenType: TOKEN, amount: 1, idempotencyKey: `probe ${count}` }
  }

  async function askAgain(client: ApiClient): Promise<string[]> {
    const violations: string[] = []
    for (const body of undecided) {
      const answer = await client.callWithRetries({ method: 'POST', path: PATH, body })
      if (answer?.status !== 200) violations.push(`a credit cannot be asked for again: ${JSON.stringify(answer)}`)
    }
    return violations
  }

  return {
    write: async (url) => {
      const credit = nextCredit()
      undecided.add(credit)
      const response = await fetch(`${url}${PATH}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${studioApiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(credit),
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      })
      const reply = (await response.json()) as { code?: string }
      if (!response.ok) return `${response.status} ${reply.code}`
      undecided.delete(credit)
      return undefined
    },
    settle: async () => {
      const client = createApiClient({ urls, localAddress: undefined, bearer: studioApiKey })
      try {
        return { count, violations: await askAgain(client) }
      } finally {
        client.stop()
      }
    },
  }
}
