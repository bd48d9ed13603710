import { type WalletAddress } from '@juicebar/contract/addresses'
import { scopes, staffScopes } from '@juicebar/contract/scopes'
import { type Database } from '../../database/connect.ts'
import { type Api } from '../../http/route.ts'
import { requireWallet } from '../log/studio-log-store.ts'
import { readAllStaff, readStaff, recordRemoval, recordStaff, requestChallenge } from './check-staff.ts'

/** The settings that the desk needs. */
export interface DeskSettings {
  /** The wallets of `STUDIO_WALLETS`. */
  named: ReadonlySet<WalletAddress>
  /** The product's name and its host, for the texts that wallets sign. */
  market: string
}

/** Who may use the studio's desk, and what they sign there. */
export function staffRoutes(api: Api, database: Database, { named, market }: DeskSettings): void {
  api.studio('studioMe', scopes, async ({ key }) => {
    const rights = { scopes: [...key.scopes] }
    if (key.kind !== 'staff') return { me: { wallet: null, name: key.name, ...rights } }
    const staff = await readStaff(database, key.wallet, named)
    return { me: { wallet: key.wallet, name: staff?.name ?? null, ...rights } }
  })
  api.studio('studioStaff', 'admin', async () => ({ staff: await readAllStaff(database, named) }))
  api.studio('readStaff', 'admin', async ({ params }) => ({ staff: await readStaff(database, requireWallet(params.wallet), named) }))
  api.studio('setStaff', 'admin', async ({ params, body, key }) => {
    const wish = { wallet: requireWallet(params.wallet), name: body?.name ?? null, scopes: body?.scopes ?? staffScopes }
    return { staff: await recordStaff(database, wish, { maker: key, reason: body?.reason, named }) }
  })
  api.studio('removeStaff', 'admin', async ({ params, query, key }) => {
    await recordRemoval(database, requireWallet(params.wallet), { maker: key, reason: query.reason, named })
    return { staff: null }
  })
  api.studio('requestChallenge', scopes, async ({ body, key }) => ({
    challenge: await requestChallenge(database, market, { key, asked: body }),
  }))
}
