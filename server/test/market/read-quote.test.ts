import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Quote } from '@juicebar/contract/schemas'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { type FrontServer, handOnTo, hang, startFrontServer, status } from '../chain/rpc/front-server.ts'
import { sharedChain, type TestChain } from '../support/test-chain.ts'
import { type ListingToAdd, randomWallet, sampleWallets, useMarket } from './market-world.ts'

const [studio, rich, poor] = sampleWallets(3) as [WalletAddress, WalletAddress, WalletAddress]

let chain: TestChain
let front: FrontServer

const world = useMarket(async () => {
  chain = await sharedChain()
  chain.fund([rich], 1_000_000_000n)
  front = await startFrontServer(handOnTo(chain.rpcUrl))
  return { endpoint: front.url, fee: { basisPoints: 250, wallet: studio } }
})
afterAll(() => front.stop())
beforeEach(() => world.empty())

const apple = (fields: Partial<ListingToAdd> = {}) => ({ seller: rich, amount: 10, steps: 10, divisible: true, ...fields })

async function quote(amount: number, query: Record<string, string> = {}): Promise<Quote> {
  const reply = await world.get('quote', { tokenType: 'APPLE_JUICE', amount: String(amount), ...query })
  expect([reply.statusCode, reply.headers['cache-control'], reply.headers['age']]).toEqual([200, 'no-store', undefined])
  return reply.json<Quote>()
}

/** What a quote takes: so many of the listing at this place. */
const takenOf = ({ items }: Quote, ids: string[]) => items.map(({ listingId, amount }) => `${amount} of ${ids.indexOf(listingId)}`)

describe('a quote over HTTP', () => {
  it('names what to buy, what each seller gets, the fee and the unit prices', async () => {
    const [dear, cheap] = await world.add([apple({ seller: studio, steps: 30 }), apple({ steps: 20, divisible: false })])
    expect(await quote(14)).toEqual({
      items: [
        { listingId: cheap, seller: rich, tokenType: 'APPLE_JUICE', amount: 10, lamports: '20000000', price: 0.02 },
        { listingId: dear, seller: studio, tokenType: 'APPLE_JUICE', amount: 4, lamports: '12000000', price: 0.012 },
      ],
      amount: 14,
      lamports: '32000000',
      price: 0.032,
      fee: { lamports: '500000', basisPoints: 250 },
      averageUnitPrice: 0.002285714285714286,
      highestUnitPrice: 0.003,
      complete: true,
    })
  })

  it('takes the cheapest drink first, then the oldest listing, and of this drink only', async () => {
    const ids = await world.add([apple({ steps: 20 }), apple({ steps: 10 }), apple({ steps: 1, tokenType: 'GRAPE_SODA' })])
    expect(takenOf(await quote(100), ids)).toEqual(['10 of 1', '10 of 0'])
    // Ids sort by age.
    const alike = (await world.add([apple({ steps: 2, amount: 5 }), apple({ steps: 2, amount: 5 })])).toSorted()
    expect(takenOf(await quote(8), alike)).toEqual(['5 of 0', '3 of 1'])
  })

  it('leaves out what the studio allows nobody to buy', async () => {
    const ids = await world.add([apple({ steps: 5 }), apple({ steps: 10 }), apple({ steps: 20 }), apple({ steps: 30 })])
    await world.pool.query(
      `insert into token_rules (token_type, min_unit_lamports, max_unit_lamports) values ('APPLE_JUICE', 1000000, 2000000)`,
    )
    onTestFinished(async () => void (await world.pool.query('delete from token_rules')))
    expect(takenOf(await quote(100), ids)).toEqual(['10 of 1', '10 of 2'])
  })

  it('counts no listing that is held, sold, removed or of the asker', async () => {
    const [held, sold, removed, own, left] = await world.add(
      [1, 2, 3, 4, 5].map((steps) => apple({ steps, seller: steps === 4 ? poor : rich })),
    )
    await world.hold(held!)
    await world.close(sold!, 'sold')
    await world.close(removed!, 'removed')
    expect(takenOf(await quote(30), [own!, left!])).toEqual(['10 of 0', '10 of 1'])
    expect(takenOf(await quote(30, { excludeSeller: poor }), [left!])).toEqual(['10 of 0'])
  })

  it('takes no fee of the wallet that receives it', async () => {
    await world.add([apple()])
    expect((await quote(10)).fee).toEqual({ lamports: '250000', basisPoints: 250 })
    expect((await quote(10, { excludeSeller: studio })).fee).toEqual({ lamports: '0', basisPoints: 250 })
  })

  it('goes on beyond many listings that are held or too large', async () => {
    await world.add([
      ...Array.from({ length: 200 }, () => apple({ amount: 50, steps: 1, divisible: false })),
      ...Array.from({ length: 60 }, () => apple({ seller: randomWallet(), amount: 1, steps: 1 })),
    ])
    await world.pool.query(
      `update listings set held_by = new_id(), held_until = now() + interval '1 minute' where amount = 50 and random() < 0.5`,
    )
    const [last] = await world.add([apple({ amount: 49, steps: 4_900 })])
    expect(await quote(49)).toMatchObject({ items: [{ listingId: last, amount: 49 }], complete: true })
  })

  it('has nothing where the market has nothing', async () => {
    expect(await quote(1)).toMatchObject({ items: [], lamports: '0', averageUnitPrice: null, complete: false })
  })

  it.each([
    ['amount=0', 'AMOUNT_INVALID'],
    ['amount=-5', 'AMOUNT_INVALID'],
    ['amount=1.5', 'AMOUNT_INVALID'],
    ['amount=1e308', 'AMOUNT_INVALID'],
    ['amount=1000000001', 'AMOUNT_INVALID'],
    ['amount=99999999999999999999', 'AMOUNT_INVALID'],
    ['amount=many', 'AMOUNT_INVALID'],
    ['amount=1&amount=2', 'AMOUNT_INVALID'],
    ['amount=', 'FIELDS_MISSING'],
    ['', 'FIELDS_MISSING'],
    ['amount=1&tokenType=LEMONADE', 'TOKEN_TYPE_UNKNOWN'],
    ['amount=1&tokenType=', 'FIELDS_MISSING'],
    ['amount=1&excludeSeller=me', 'WALLET_ADDRESS_INVALID'],
    ['amount=1&excludeSeller=', 'WALLET_ADDRESS_INVALID'],
    [`amount=1&excludeSeller=${'1'.repeat(45)}`, 'WALLET_ADDRESS_INVALID'],
    ['amount=1&age=60', 'BAD_REQUEST'],
  ])('with %j is refused with %s', async (query, code) => {
    const token = query.includes('tokenType') ? '' : 'tokenType=APPLE_JUICE&'
    const reply = await world.fastify.inject({ url: `/api/marketplace/quote?${token}${query}` })
    expect([reply.statusCode, reply.json().code]).toEqual([400, code])
  })
})

describe('a part so small that its payment leaves an account below the rent-exempt minimum', () => {
  const small = (seller: string, changes: Partial<ListingToAdd> = {}) => apple({ seller, steps: 2, ...changes })

  it('is taken if the seller owns enough, and else the next one is', async () => {
    const ids = await world.add([small(poor), small(rich)])
    // A quote does not wait long for the chain, which a busy machine may make slow.
    const taken = (amount: number) => expect.poll(async () => takenOf(await quote(amount), ids))
    await taken(1).toEqual(['1 of 1'])
    await taken(4).toEqual(['4 of 1'])
    await taken(5).toEqual(['5 of 0'])
    await taken(11).toEqual(['10 of 0', '1 of 1'])
  })

  it('is taken if the seller gets enough by other items', async () => {
    const ids = await world.add([small(poor), small(poor, { steps: 3 })])
    expect(await quote(11)).toMatchObject({ items: [{ amount: 10 }, { listingId: ids[1], amount: 1 }], complete: true })
  })

  it('leaves the quote incomplete if nobody can be paid it', async () => {
    await world.add([small(poor)])
    expect(await quote(1)).toMatchObject({ items: [], complete: false })
  })

  it('is all that the chain is asked about', async () => {
    await world.add([apple({ steps: 100 }), small(randomWallet())])
    const before = front.calls.filter((method) => method === 'getMultipleAccounts').length
    await quote(20)
    const asked = () => front.calls.filter((method) => method === 'getMultipleAccounts').length - before
    expect(asked()).toBe(0)
    await quote(1)
    expect(asked()).toBe(1)
  })

  it.each([
    ['is away', status(503)],
    ['does not answer', hang],
  ])('is not taken while the chain %s, and whole listings are', async (_how, behaviour) => {
    const seller = randomWallet()
    const ids = await world.add([small(seller), apple({ seller, amount: 2, steps: 5, divisible: false })])
    front.behave(behaviour)
    onTestFinished(() => front.behave(handOnTo(chain.rpcUrl)))
    expect(takenOf(await quote(1), ids)).toEqual([])
    expect(takenOf(await quote(2), ids)).toEqual(['2 of 1'])
    expect(takenOf(await quote(10), ids)).toEqual(['10 of 0'])
  })
})
