import { type Reply } from '@juicebar/contract/calls'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { Failure } from '@juicebar/contract/errors'
import { OrderOfManySchema } from '@juicebar/contract/schemas/studio/orders'
import { type StudioKey } from '../http/credentials.ts'
import { createItemCheck } from '../http/validation.ts'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type OrderDeps, type OrderGiver, postStudioOrder, postStudioOrders } from '../inventory/post-studio-order.ts'
import { readStudioOrder, type StudioOrder } from '../inventory/studio-order.ts'
import { addCreditedToday, lockAllowance } from './keys/studio-key-store.ts'
import { insertOrderEntries } from './log/studio-log-store.ts'

type Result = Reply<'studioOrders'>['results'][number]

/**
 * Posts a credit or debit for a key.
 * @throws as `postStudioOrder`
 */
export function postOrder(deps: OrderDeps, key: StudioKey, order: StudioOrder) {
  return postStudioOrder(deps, order, giverOf(key, order.direction === 'credit' ? 'studioCredit' : 'studioDebit'))
}

const checkOrder = createItemCheck(OrderOfManySchema)

/** Posts the orders of a call individually. @returns the result of each, in order */
export async function postOrders(deps: OrderDeps & { catalogue: Catalogue }, key: StudioKey, items: readonly unknown[]): Promise<Result[]> {
  const read = items.map((item) => readOrder(deps.catalogue, key, item))
  const orders = read.flatMap((order) => (order instanceof Failure ? [] : [order]))
  const outcomes = orders.length > 0 ? await postStudioOrders(deps, orders, giverOf(key, 'studioOrders')) : []
  const next = outcomes.values()
  return read.map((order) => {
    const outcome = order instanceof Failure ? order : next.next().value
    if (!outcome) throw new Error('an order has no outcome')
    return outcome instanceof Failure ? { error: outcome.message, code: outcome.code } : { order: outcome.order, balance: outcome.balance }
  })
}

/** Reads one order, or returns why it is refused. */
function readOrder(catalogue: Catalogue, key: StudioKey, item: unknown): StudioOrder | Failure {
  try {
    const { direction, ...fields } = checkOrder(item)
    if (!key.scopes.includes(direction)) return new Failure('INSUFFICIENT_SCOPE', { detail: direction })
    return readStudioOrder(direction, fields, catalogue)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Daily credits count across all calls of a key and of those below it; a key without a limit has none above it that has one. */
function giverOf(key: StudioKey, call: EndpointName): OrderGiver {
  const limited = key.kind === 'key' && key.dailyCreditLimit !== null ? key.id : undefined
  return {
    namespace: key.namespace,
    lockAllowance: async (tx) => (limited === undefined ? undefined : lockAllowance(tx, limited)),
    record: async (tx, posted) => {
      const credited = posted.reduce((sum, { order }) => sum + (order.direction === 'credit' ? order.amount : 0), 0)
      if (limited !== undefined && credited > 0) await addCreditedToday(tx, limited, credited)
      const entries = posted.map(({ id: transferId, order }) => ({
        transferId,
        subject: order.walletAddress,
        reason: order.reason ?? null,
      }))
      await insertOrderEntries(tx, { actor: key.name, call }, entries)
    },
  }
}
