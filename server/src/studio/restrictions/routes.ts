import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Database } from '../../database/connect.ts'
import { type Api } from '../../http/api/route.ts'
import { blockReply, readUntil } from '../../restrictions/block.ts'
import { findBlock, listRules } from '../../restrictions/restriction-store.ts'
import { draftRules, ruleReply } from '../../restrictions/rule.ts'
import { readBlocks } from './read-blocks.ts'
import { recordBlock, recordUnblock } from './record-block.ts'
import { readPause, recordPause, recordResumption } from './record-pause.ts'
import { recordRules } from './record-rules.ts'

/** What the studio restricts: a pause of the market, blocked wallets, rules of the drinks. */
export function restrictionRoutes(api: Api, database: Database, catalogue: Catalogue): void {
  api.studio('readPause', 'read', async () => ({ pause: await readPause(database) }))
  api.studio('pauseMarket', 'rules', async ({ body, actor }) => ({ pause: await recordPause(database, { message: body.message, actor }) }))
  api.studio('resumeMarket', 'rules', async ({ query: { reason }, actor }) => ({
    pause: await recordResumption(database, { reason, actor }),
  }))

  api.studio('studioBlocks', 'read', async ({ query }) =>
    readBlocks(database, { cursor: query.cursor, limit: query.limit ?? LISTINGS_PAGE }),
  )
  api.studio('readBlock', 'read', async ({ params }) => {
    const block = await findBlock(database, requireWallet(params.wallet))
    return { block: block ? blockReply(block) : null }
  })
  api.studio('blockWallet', 'rules', async ({ params, body, actor }) => {
    const { reason, removeListings = false } = body
    return recordBlock(database, { wallet: requireWallet(params.wallet), reason, until: readUntil(body.until), removeListings, actor })
  })
  api.studio('unblockWallet', 'rules', async ({ params, query: { reason }, actor }) => {
    await recordUnblock(database, { wallet: requireWallet(params.wallet), reason, actor })
    return { block: null }
  })

  api.studio('readRules', 'read', async () => ({ rules: (await listRules(database)).map(ruleReply) }))
  api.studio('setRules', 'rules', async ({ body, actor }) => {
    const rules = draftRules(body.rules, catalogue)
    const recorded = await recordRules(database, { rules, catalogue, reason: body.reason, actor })
    return { rules: recorded.map(ruleReply) }
  })
}

function requireWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Failure('WALLET_ADDRESS_INVALID')
  return wallet
}
