import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type Api } from '../http/api/route.ts'
import { orderTokens, type TokenOrder } from '../inventory/post-studio-order.ts'
import { requireAmount, requireTokenType, requireWalletAddress } from '../inventory/studio-order.ts'
import { listCases } from '../purchases/cases/case-reply-store.ts'
import { closeCase } from '../purchases/cases/close-case.ts'
import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { audit } from './run-audit.ts'

/** What the game studio does with its key: tokens in and out, cases, the audit. */
export function studioRoutes(api: Api, deps: PurchaseDeps): void {
  const { database } = deps

  api.studio('studioCredit', 'studio', async ({ body }) => ({ credit: await orderTokens(database, readOrder('credit', body)) }))
  api.studio('studioDebit', 'studio', async ({ body }) => ({ debit: await orderTokens(database, readOrder('debit', body)) }))

  api.studio('studioCases', 'studio', async ({ query }) => {
    const { status = 'open', limit = LISTINGS_PAGE, cursor } = query
    return listCases(database, { limit, cursor, ...(status === 'all' ? {} : { status }) })
  })
  api.studio('closeCase', 'studio', async ({ body }) => ({ case: await closeCase(database, body.caseId, body.note) }))

  api.studio('audit', 'studio', async () => audit(deps))
}

interface OrderFields {
  walletAddress: string
  tokenType: string
  amount: number
  idempotencyKey: string
}

function readOrder(direction: TokenOrder['direction'], { walletAddress, tokenType, amount, idempotencyKey }: OrderFields): TokenOrder {
  return {
    direction,
    walletAddress: requireWalletAddress(walletAddress),
    tokenType: requireTokenType(tokenType),
    amount: requireAmount(amount),
    idempotencyKey,
  }
}
