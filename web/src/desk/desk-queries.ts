import { type Query, type Reply } from '@juicebar/contract/calls'
import { CHALLENGE_HEADER, SIGNATURE_HEADER, type SignedCall } from '@juicebar/contract/endpoints/signed'
import { studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { MAX_LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type AuditSummary } from '@juicebar/contract/schemas'
import { type Scope } from '@juicebar/contract/scopes'
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query'

import { type AnyInput, callEndpoint, type CallInput, fillPath } from '../api/client.ts'
import { MINE } from '../api/query-client.ts'
import { requireConnection, signMessage } from '../wallet/signatures.ts'
import { withTimeout } from '../wallet/wallet-error.ts'
import { WALLET_TIMEOUT_MS } from '../wallet/wallet-store.ts'

/** Under `MINE`, so that a logout removes everything that the desk has read. */
export const DESK = [MINE, 'desk'] as const

/** How often the figures on the front are read again, in milliseconds. */
const FRONT_MS = 20_000
const AUDIT_MS = 2_000
/** Below the audit that is shown, so that few are enough. */
const AUDITS_PAGE = 10

export type CaseFilter = Pick<Query<'studioCases'>, 'wallet' | 'status'>
export type PurchaseFilter = Pick<Query<'studioPurchases'>, 'wallet' | 'signature' | 'listingId' | 'status'>

/** A page of a list that is read by cursor. */
interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

const quiet = { meta: { quiet: true } } as const

/** A list, page by page. */
function listQuery<Item>(queryKey: readonly unknown[], read: (cursor: string, signal: AbortSignal) => Promise<Page<Item>>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...quiet,
  })
}

/** Who uses the desk, and what they may do. */
export const meQuery = queryOptions({
  queryKey: [...DESK, 'me'],
  queryFn: async ({ signal }) => (await callStudio('studioMe', { signal })).me,
  ...quiet,
})

/** Figures from one UTC date or time on, until another, or until now. */
export function statsQuery(from: string, group: NonNullable<Query<'studioStats'>['group']>, to?: string) {
  return queryOptions({
    queryKey: [...DESK, 'stats', group, from],
    queryFn: async ({ signal }) =>
      (await callStudio('studioStats', { query: { from, group, ...(to !== undefined && { to }) }, signal })).stats,
    refetchInterval: FRONT_MS,
    ...quiet,
  })
}

export const pauseQuery = queryOptions({
  queryKey: [...DESK, 'pause'],
  queryFn: async ({ signal }) => (await callStudio('readPause', { signal })).pause,
  refetchInterval: FRONT_MS,
  ...quiet,
})

/** The first page of cases that need action, with the maximum page length. */
export const openCasesQuery = queryOptions({
  queryKey: [...DESK, 'cases', 'waiting'],
  queryFn: async ({ signal }) => {
    const read = (status: 'open' | 'refunding') => callStudio('studioCases', { query: { status, limit: MAX_LISTINGS_PAGE }, signal })
    const [open, refunding] = await Promise.all([read('open'), read('refunding')])
    return { cases: [...open.cases, ...refunding.cases], more: open.nextCursor !== null || refunding.nextCursor !== null }
  },
  refetchInterval: FRONT_MS,
  ...quiet,
})

/** Holds that only the studio can end are among them. */
export function purchasesQuery(filter: PurchaseFilter) {
  return listQuery([...DESK, 'purchases', filter], async (cursor, signal) => {
    const { purchases, nextCursor } = await callStudio('studioPurchases', { query: { ...filter, cursor }, signal })
    return { items: purchases, nextCursor }
  })
}

export function purchaseQuery(id: string) {
  return queryOptions({
    queryKey: [...DESK, 'purchase', id],
    queryFn: async ({ signal }) => (await callStudio('studioPurchase', { params: { id }, signal })).purchase,
    ...quiet,
  })
}

export function playerQuery(walletAddress: string) {
  return queryOptions({
    queryKey: [...DESK, 'player', walletAddress],
    queryFn: async ({ signal }) => (await callStudio('studioPlayer', { params: { walletAddress }, signal })).player,
    ...quiet,
  })
}

export function casesQuery(filter: CaseFilter) {
  return listQuery([...DESK, 'cases', filter], async (cursor, signal) => {
    const { cases, nextCursor } = await callStudio('studioCases', { query: { ...filter, cursor }, signal })
    return { items: cases, nextCursor }
  })
}

export type CheckoutFilter = Pick<Query<'studioCheckouts'>, 'status' | 'clientReference'>

/** How often a checkout that may still change is read again, in milliseconds. */
const CHECKOUT_MS = 5_000

export function checkoutsQuery(filter: CheckoutFilter) {
  return listQuery([...DESK, 'checkouts', filter], async (cursor, signal) => {
    const { checkouts, nextCursor } = await callStudio('studioCheckouts', { query: { ...filter, cursor }, signal })
    return { items: checkouts, nextCursor }
  })
}

/** A checkout with every try to pay it. */
export function checkoutQuery(id: string) {
  return queryOptions({
    queryKey: [...DESK, 'checkout', id],
    queryFn: async ({ signal }) => {
      const params = { id }
      const [{ checkout }, tries] = await Promise.all([
        callStudio('studioCheckout', { params, signal }),
        callStudio('checkoutAttempts', { params, signal }),
      ])
      return { checkout, tries }
    },
    refetchInterval: ({ state }) =>
      state.data?.checkout.status === 'open' || state.data?.checkout.status === 'paying' ? CHECKOUT_MS : false,
    ...quiet,
  })
}

export const rulesQuery = queryOptions({
  queryKey: [...DESK, 'rules'],
  queryFn: async ({ signal }) => (await callStudio('readRules', { signal })).rules,
  ...quiet,
})

export const keysQuery = listQuery([...DESK, 'keys'], async (cursor, signal) => {
  const { keys, nextCursor } = await callStudio('studioKeys', { query: { cursor }, signal })
  return { items: keys, nextCursor }
})

export const staffQuery = queryOptions({
  queryKey: [...DESK, 'staff'],
  queryFn: async ({ signal }) => (await callStudio('studioStaff', { signal })).staff,
  ...quiet,
})

/** All of them: there are never more than fit into a page. */
export const webhooksQuery = queryOptions({
  queryKey: [...DESK, 'webhooks'],
  queryFn: async ({ signal }) => (await callStudio('webhooks', { query: { limit: MAX_LISTINGS_PAGE }, signal })).webhooks,
  refetchInterval: FRONT_MS,
  ...quiet,
})

export function deliveriesQuery(id: string) {
  return listQuery([...DESK, 'deliveries', id], async (cursor, signal) => {
    const { deliveries, nextCursor } = await callStudio('webhookDeliveries', { params: { id }, query: { cursor }, signal })
    return { items: deliveries, nextCursor }
  })
}

export const logQuery = listQuery([...DESK, 'log'], async (cursor, signal) => {
  const { log, nextCursor } = await callStudio('studioLog', { query: { cursor }, signal })
  return { items: log, nextCursor }
})

export const blocksQuery = listQuery([...DESK, 'blocks'], async (cursor, signal) => {
  const { blocks, nextCursor } = await callStudio('studioBlocks', { query: { cursor }, signal })
  return { items: blocks, nextCursor }
})

/** All audits; while one is running, they are read again. */
export const auditsQuery = infiniteQueryOptions({
  ...listQuery([...DESK, 'audits'], async (cursor, signal) => {
    const { audits, nextCursor } = await callStudio('audits', { query: { cursor, limit: AUDITS_PAGE }, signal })
    return { items: audits, nextCursor }
  }),
  refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isRunning)) ? AUDIT_MS : false),
})

function isRunning({ status }: Pick<AuditSummary, 'status'>): boolean {
  return status === 'running'
}

/** An audit, read again until it is done. */
export function auditQuery(id: string) {
  return queryOptions({
    queryKey: [...DESK, 'audit', id],
    queryFn: async ({ signal }) => (await callStudio('readAudit', { params: { id }, signal })).audit,
    refetchInterval: ({ state }) => (state.data?.status === 'done' ? false : AUDIT_MS),
    ...quiet,
  })
}

type StudioEndpointName = keyof typeof studioEndpoints

/**
 * Makes one of the studio's calls as the signed-in person.
 *
 * @throws ApiError
 */
export function callStudio<Name extends StudioEndpointName>(name: Name, input: CallInput<Name> & AnyInput): Promise<Reply<Name>> {
  return callEndpoint(studioEndpoints[name], input)
}

/**
 * Makes one of the calls that need their own wallet signature: the wallet shows in words what it signs.
 *
 * @throws ApiError or WalletError
 */
export async function callSigned<Name extends SignedCall>(name: Name, input: CallInput<Name> & AnyInput): Promise<Reply<Name>> {
  const { wallet, account } = requireConnection()
  const { challenge } = await callStudio('requestChallenge', { body: describeCall(name, input) })
  const bytes = await withTimeout(signMessage(wallet, account, challenge.message), WALLET_TIMEOUT_MS)
  const { base58 } = await import('@scure/base')
  const headers = { ...input.headers, [CHALLENGE_HEADER]: challenge.id, [SIGNATURE_HEADER]: base58.encode(bytes) }
  return await callEndpoint(studioEndpoints[name], { ...input, headers })
}

/** The call as it will be made, byte for byte. */
function describeCall(name: SignedCall, input: AnyInput): { method: 'POST' | 'PUT' | 'DELETE'; path: string; body?: string } {
  const [method = '', template = ''] = studioEndpoints[name].split(' ')
  if (method !== 'POST' && method !== 'PUT' && method !== 'DELETE') throw new Error(`${name} cannot be signed`)
  const path = fillPath(template, input)
  return input.body === undefined ? { method, path } : { method, path, body: JSON.stringify(input.body) }
}

/** Whether the person at the desk has this scope; false until known. */
export function useMay(scope: Scope): boolean {
  const { data } = useQuery(meQuery)
  return data?.scopes.includes(scope) ?? false
}
