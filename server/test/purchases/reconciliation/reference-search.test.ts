import { type Signature } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'
import { type Chain, type SignatureEntry } from '../../../src/chain/chain.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase/purchase-deps.ts'
import { afterDeciding, isShort, type ReferenceSearch } from '../../../src/purchases/reconciliation/history-search.ts'
import { listReferenced } from '../../../src/purchases/reconciliation/search-candidates.ts'
import { held } from './purchase-snapshots.ts'

const nothing: ReferenceSearch = { decidedTo: null, listedTo: null }
const OLD = 1_000_000n

/** So many transactions, the oldest first, one a slot. */
const made = (count: number): SignatureEntry[] =>
  Array.from({ length: count }, (_, n) => ({ signature: `${n}` as Signature, slot: BigInt(n), failed: false }))

/** An endpoint that lists these, and counts its answers. */
function listing(oldestFirst: readonly SignatureEntry[]) {
  const newestFirst = oldestFirst.toReversed()
  let pages = 0
  const recentSignatures: Chain['recentSignatures'] = async (_address, _since, limit, { before } = {}) => {
    pages += 1
    const from = before === undefined ? 0 : newestFirst.findIndex(({ signature }) => signature === before) + 1
    return newestFirst.slice(from, from + limit)
  }
  const deps = { chain: { recentSignatures } } as unknown as PurchaseDeps
  return { list: (search: ReferenceSearch) => listReferenced(deps, { ...held, ...search }), pages: () => pages }
}

describe('the search of what names a reference', () => {
  it('lists from the last decided one on, the oldest first', async () => {
    const all = made(130)
    const { oldestFirst } = await listing(all).list({ ...nothing, decidedTo: '99' as Signature })
    expect(oldestFirst).toEqual(all.slice(100))
  })

  it('reaches the oldest, however many there are, with few requests a round, and then decides them in their order', async () => {
    const all = made(21_500)
    const endpoint = listing(all)
    const decided: SignatureEntry[] = []
    let search = nothing
    for (let round = 0; round < 100 && decided.length < all.length; round += 1) {
      const before = endpoint.pages()
      const found = await endpoint.list(search)
      expect(endpoint.pages() - before).toBeLessThanOrEqual(5)
      const chosen = new Set(found.oldestFirst.slice(0, 700))
      search = found.complete ? afterDeciding(found.search, found.oldestFirst, OLD, (entry) => chosen.has(entry)) : found.search
      decided.push(...chosen)
    }
    expect(decided).toEqual(all)
  })

  it('begins again if the endpoint does not know where it was', async () => {
    const all = made(130)
    const endpoint = listing(all)
    const nowhere = afterDeciding({ ...nothing, listedTo: 'gone' as Signature }, [], OLD, () => true)
    expect(nowhere).toEqual(nothing)
    expect((await endpoint.list(nowhere)).oldestFirst).toEqual(all)
  })

  it('goes past nothing that is undecided, or so new that an older one may still be missing from the list', () => {
    const all = made(130)
    const decidedTo = (highestSlot: bigint, open: number) =>
      afterDeciding(nothing, all, highestSlot, ({ slot }) => slot !== BigInt(open)).decidedTo
    expect(decidedTo(OLD, 50)).toBe('49')
    expect(decidedTo(OLD, 0)).toBeNull()
    expect(decidedTo(100n, 120)).toBe('36')
    expect(decidedTo(OLD, 130)).toBe('129')
  })

  it('lists all of a few each time, since another endpoint may know more', () => {
    expect(isShort(nothing, made(100))).toBe(true)
    expect(isShort(nothing, made(101))).toBe(false)
    expect(isShort({ ...nothing, decidedTo: '99' as Signature }, made(3))).toBe(false)
  })
})
