import { parseWalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { type WebhookEvent } from '@juicebar/contract/schemas'
import { generateKeyPairSigner } from '@solana/kit'
import { onTestFinished } from 'vitest'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { connectDatabase } from '../../../src/database/connect.ts'
import { postStudioOrder } from '../../../src/inventory/post-studio-order.ts'
import { createListing, removeListing } from '../../../src/listings/change-listings.ts'
import { createFailureLog } from '../../../src/runtime/outage.ts'
import { createWebhook } from '../../../src/studio/webhooks/change-webhooks.ts'
import { createPoster } from '../../../src/outgoing/post-message.ts'
import { startWebhooks } from '../../../src/studio/webhooks/run-webhooks.ts'
import { collectLog } from '../../runtime/collected-log.ts'
import { FEW_CONNECTIONS } from '../../support/few-connections.ts'
import { freshDatabase } from '../../support/fresh-database.ts'

/** Nothing lasts long here, and nothing is given up before its tenth attempt. */
const soon = Array.from({ length: 9 }, () => 0.05)

/** A seller with drinks, webhooks, and servers that serve them, on a database of its own, until the test is over. */
export async function openWebhookWorld() {
  const fresh = await freshDatabase()
  const { log, lines } = collectLog()
  const connection = connectDatabase(fresh.url, () => undefined, FEW_CONNECTIONS)
  const { database, pool } = connection
  const failures = createFailureLog(log)
  onTestFinished(async () => {
    await connection.close()
    await fresh.drop()
  })
  const seller = parseWalletAddress((await generateKeyPairSigner()).address)
  if (!seller) throw new Error('a signer has a wallet address')
  await database.insertInto('players').values({ walletAddress: seller }).execute()
  const order = { walletAddress: seller, tokenType: 'APPLE_JUICE', amount: 1_000_000, idempotencyKey: 'drinks' } as const
  await postStudioOrder({ database, log }, { ...order, direction: 'credit' })
  return {
    database,
    pool,
    seller,
    lines,
    /** Lists a drink. Returns the listing's identifier: an event of type `listing.created`. */
    list: async () => {
      const draft = { tokenType: 'APPLE_JUICE', amount: 1, priceLamports: lamports(1_000_000n), divisible: false } as const
      return (await createListing(database, seller, draft))._id
    },
    remove: (listingId: string) => removeListing(database, seller, listingId),
    addWebhook: (url: string, events: readonly WebhookEvent[] = ['listing.created', 'listing.removed']) =>
      createWebhook(database, { url, events, allowPrivate: true, actor: 'test' }),
    /** A server that serves webhooks, with a connection of its own, until the test is over. */
    serve: ({ allowPrivate = true, attemptMillis = 5_000, retrySeconds = soon, onAttempt = (_delivered: boolean) => {} } = {}) => {
      const own = connectDatabase(fresh.url, () => undefined, FEW_CONNECTIONS)
      const poster = createPoster({ allowPrivate, attemptMillis })
      const market = { database: own.database, catalogue: defaultCatalogue, publicOrigin: 'http://localhost' }
      const stop = startWebhooks({ ...market, poster, log, failures, retrySeconds, onAttempt })
      let stopping: Promise<void> | undefined
      const stopAll = async () => {
        await stop()
        await own.close()
      }
      const stopOnce = () => (stopping ??= stopAll())
      onTestFinished(stopOnce)
      return { stop: stopOnce }
    },
  }
}

export type WebhookWorld = Awaited<ReturnType<typeof openWebhookWorld>>

export const listingIds = (messages: readonly { body: { data: Record<string, unknown> } }[]) => messages.map(({ body }) => body.data['_id'])
