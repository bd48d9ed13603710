import { type TokenType } from '@juicebar/contract/catalogue'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Books, followLedger, type Movement, type Profit, profitOf } from '../../../src/market/profit.ts'

const apple = 'APPLE_JUICE'
const movement = (kind: Movement['kind'], amount: number, given: Partial<Movement> = {}): Movement => ({
  kind,
  amount,
  tokenType: apple,
  lamports: 0n,
  feeLamports: 0n,
  isUndone: false,
  ...given,
})

function profitAfter(...movements: Movement[]): Profit {
  const books: Books = new Map()
  followLedger(books, movements)
  return profitOf(books)
}

/** Of apple juice, the only drink. */
const drink = (...movements: Movement[]) => profitAfter(...movements).drinks[0]

describe('a profit', () => {
  it('is what was received less what the oldest drinks had cost, with their fee', () => {
    expect(
      drink(
        movement('bought', 10, { lamports: 100n, feeLamports: 5n }),
        movement('bought', 10, { lamports: 300n }),
        movement('sold', 15, { lamports: 400n }),
      ),
    ).toMatchObject({
      bought: { amount: 20, basis: '405', fee: '5' },
      sold: { amount: 15, basis: '255', lamports: '400', profit: '145' },
      held: { amount: 5, basis: '150' },
    })
  })

  it('may be a loss', () => {
    const { sold } = drink(movement('bought', 1, { lamports: 7n }), movement('sold', 1, { lamports: 3n }))!
    expect(sold.profit).toBe('-4')
  })

  it('is all that was received for what the studio had credited', () => {
    expect(drink(movement('credited', 5), movement('sold', 2, { lamports: 50n }))).toMatchObject({
      credited: { amount: 5 },
      sold: { basis: '0', profit: '50' },
      held: { amount: 3, basis: '0' },
    })
  })

  it('is none of what was used in the game, which leaves at cost', () => {
    expect(drink(movement('bought', 4, { lamports: 40n }), movement('used', 3))).toMatchObject({
      used: { amount: 3, basis: '30' },
      sold: { amount: 0, profit: '0' },
      held: { amount: 1, basis: '10' },
    })
  })

  it('forgets a sale whose payment the chain has undone: the drinks are lost to one and free to the other', () => {
    const undone = { isUndone: true }
    expect(drink(movement('bought', 4, { lamports: 40n }), movement('sold', 4, undone))).toMatchObject({
      sold: { amount: 0, basis: '0', lamports: '0', profit: '0' },
      lost: { amount: 4, basis: '40' },
    })
    expect(drink(movement('bought', 4, undone), movement('sold', 4, { lamports: 10n }))).toMatchObject({
      bought: { amount: 0, basis: '0' },
      credited: { amount: 4 },
      sold: { profit: '10' },
    })
  })

  it('splits a listing exactly: a part costs its share rounded up, and the rest keeps what is left', () => {
    expect(drink(movement('bought', 3, { lamports: 10n }), movement('used', 1), movement('sold', 1, { lamports: 1n }))).toMatchObject({
      used: { basis: '4' },
      sold: { basis: '3' },
      held: { basis: '3' },
    })
  })

  it('waits for drinks that left before they came, and says so', () => {
    const sale = movement('sold', 2, { lamports: 9n })
    expect(profitAfter(sale)).toMatchObject({ complete: false, drinks: [{ sold: { amount: 0, lamports: '0' } }] })
    expect(profitAfter(sale, movement('bought', 2, { lamports: 4n }))).toMatchObject({
      complete: true,
      drinks: [{ sold: { amount: 2, profit: '5' }, held: { amount: 0 } }],
    })
  })

  it('is none of a player who never had a drink', () => {
    expect(profitAfter()).toEqual({ drinks: [], complete: true })
  })
})

const tokens: TokenType[] = [apple, 'GRAPE_SODA']
const anyMovement: fc.Arbitrary<Movement> = fc.record({
  kind: fc.constantFrom('bought', 'bought', 'credited', 'sold', 'sold', 'used'),
  tokenType: fc.constantFrom(...tokens),
  amount: fc.integer({ min: 1, max: 40 }),
  lamports: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  feeLamports: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  isUndone: fc.boolean(),
})
const comes = ({ kind }: Movement) => kind === 'bought' || kind === 'credited'
/** Nobody has more of a drink to give away than came. */
const histories = fc.array(anyMovement, { maxLength: 60 }).map((movements) => {
  const held = new Map<string, number>()
  return movements.filter((one) => {
    const left = (held.get(one.tokenType) ?? 0) + (comes(one) ? one.amount : -one.amount)
    if (left >= 0) held.set(one.tokenType, left)
    return left >= 0
  })
})

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
/** What a movement brought into the books. */
const paid = ({ kind, isUndone, lamports, feeLamports }: Movement) => (kind === 'bought' && !isUndone ? lamports + feeLamports : 0n)

describe('whatever a player does', () => {
  it('no lamport and no drink is lost: what was bought is what the sold, used, lost and held had cost', () => {
    fc.assert(
      fc.property(histories, (movements) => {
        const { drinks, complete } = profitAfter(...movements)
        expect(complete).toBe(true)
        for (const { tokenType, bought, credited, sold, used, lost, held } of drinks) {
          const own = movements.filter((one) => one.tokenType === tokenType)
          const spent = sum(own.map(paid))
          expect(BigInt(bought.basis)).toBe(spent)
          expect(sum([sold, used, lost, held].map(({ basis }) => BigInt(basis)))).toBe(spent)
          expect(sold.amount + used.amount + lost.amount + held.amount).toBe(bought.amount + credited.amount)
          const received = sum(own.filter(({ kind, isUndone }) => kind === 'sold' && !isUndone).map(({ lamports }) => lamports))
          expect(BigInt(sold.profit)).toBe(received - BigInt(sold.basis))
        }
      }),
    )
  })

  it('the same comes out of a ledger that is followed in pages of any size', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 7 }), (movements, size) => {
        const books: Books = new Map()
        for (let from = 0; from < movements.length; from += size) followLedger(books, movements.slice(from, from + size))
        expect(profitOf(books)).toEqual(profitAfter(...movements))
      }),
    )
  })

  it('each drink that leaves is the one that was there for longest', () => {
    fc.assert(
      fc.property(histories, (movements) => {
        // Every drink by itself: with a whole price for each there is nothing to round.
        const whole = movements.map((one) => ({ ...one, lamports: one.lamports * BigInt(one.amount), feeLamports: 0n }))
        const shelves = new Map<string, bigint[]>()
        const left: Record<string, bigint> = {}
        for (const one of whole) {
          const shelf = shelves.get(one.tokenType) ?? []
          shelves.set(one.tokenType, shelf)
          if (comes(one)) shelf.push(...Array.from({ length: one.amount }, () => paid(one) / BigInt(one.amount)))
          else {
            const fate = `${one.tokenType} ${one.kind === 'used' ? 'used' : one.isUndone ? 'lost' : 'sold'}`
            left[fate] = (left[fate] ?? 0n) + sum(shelf.splice(0, one.amount))
          }
        }
        for (const { tokenType, sold, used, lost, held } of profitAfter(...whole).drinks) {
          expect(BigInt(sold.basis)).toBe(left[`${tokenType} sold`] ?? 0n)
          expect(BigInt(used.basis)).toBe(left[`${tokenType} used`] ?? 0n)
          expect(BigInt(lost.basis)).toBe(left[`${tokenType} lost`] ?? 0n)
          expect(BigInt(held.basis)).toBe(sum(shelves.get(tokenType) ?? []))
        }
      }),
    )
  })
})
