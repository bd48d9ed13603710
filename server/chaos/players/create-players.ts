import { tokens } from '../catalogue.ts'
import { inParallel } from '../in-parallel.ts'
import { createApiClient } from './api-client.ts'
import { canCallFrom, loopbackAddress } from './loopback-address.ts'
import { createPlayer, type Player, type Run } from './player.ts'
import { STOCK } from './seller.ts'
import { createWallet } from './wallet.ts'

interface Product {
  urls: () => readonly string[]
  studioApiKey: string
}

/** One of so many buyers approves payments and sends its SOL away. */
const EVERY_DRAINER = 12

/** Creates and signs in all players, and credits the sellers with tokens. */
export async function createPlayers(run: Run, product: Product, counts: { buyers: number; sellers: number }) {
  const { urls } = product
  const manyAddresses = await canCallFrom(loopbackAddress(1))
  const create = async (names: string[], firstAddress: number) => {
    const players: Player[] = []
    await inParallel([...names.entries()], async ([index, name]) => {
      const localAddress = manyAddresses ? loopbackAddress(firstAddress + index) : undefined
      players[index] = await createPlayer(run, name, { urls, localAddress })
    })
    return players
  }
  const sellers = await create(numbered('seller', counts.sellers), 1)
  const buyers = await create(numbered('buyer', counts.buyers), 1 + counts.sellers)
  for (const [index, buyer] of buyers.entries()) {
    if (index % EVERY_DRAINER === EVERY_DRAINER - 1) buyer.vault = await createWallet(run.seed, `${buyer.name}, the vault`)
  }
  await inParallel(sellers, (seller) => creditTokens(run, product, seller))
  return { sellers, buyers }
}

function numbered(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1}`)
}

async function creditTokens(run: Run, { urls, studioApiKey }: Product, seller: Player): Promise<void> {
  const studio = createApiClient({ urls, localAddress: undefined, bearer: studioApiKey })
  const { address: walletAddress } = seller.wallet
  for (const tokenType of tokens) {
    const body = { walletAddress, tokenType, amount: STOCK, idempotencyKey: `${seller.name} ${tokenType}` }
    const answer = await studio.callWithRetries({ method: 'POST', path: '/api/studio/credits', body })
    if (answer?.status !== 200) throw new Error(`the studio's credit failed: ${JSON.stringify(answer)}`)
    run.journal.credits.set(`${walletAddress} ${tokenType}`, STOCK)
  }
  studio.stop()
}
