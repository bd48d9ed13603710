import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Instruction } from '../../../src/chain/chain.ts'
import { type KnownPurchase, verifyPayment } from '../../../src/purchases/payment/landed-payment.ts'
import { knownOf, landedWith, moves, names, paymentOf, purchaseOf, referenceOf } from './landed-transactions.ts'

const buyers = ['Buyer', 'Rival']
const sellers = ['Ann', 'Bob', 'Studio']
const ids = ['p', 'q', 'r']
const refund = referenceOf('refund')
const references = ids.map(referenceOf)

const amount = fc.bigInt({ min: 0n, max: 3n })
const agreed = fc.array(fc.tuple(fc.constantFrom(...sellers), fc.bigInt({ min: 1n, max: 3n })), { minLength: 1, maxLength: 3 })
const purchases = fc
  .tuple(...ids.map((id) => fc.tuple(fc.constantFrom(...buyers), agreed).map(([buyer, transfers]) => purchaseOf(id, buyer, ...transfers))))
  .chain((all) => fc.shuffledSubarray(all, { minLength: 1 }))
const carried = fc.shuffledSubarray([...references, refund, 'Unknown'], { maxLength: 2 })
const anyTransfer = fc
  .tuple(fc.constantFrom(...buyers), fc.constantFrom(...sellers), amount, carried)
  .map(([from, to, lamports, extra]) => moves(from, to, lamports, extra))
const mention = carried.map((accounts) => names(...accounts))

/** Payments of some of the purchases, whole or in parts, with anything else among them. */
const market = purchases.chain((all) => {
  const parts = all.flatMap(paymentOf)
  const paid = fc.oneof(
    fc.subarray(parts),
    fc.constant(parts),
    fc.subarray(all).map((some) => some.flatMap(paymentOf)),
  )
  const more = fc.array(fc.oneof({ weight: 3, arbitrary: anyTransfer }, { weight: 1, arbitrary: mention }), { maxLength: 2 })
  const instructions = fc.tuple(paid, more).chain(([some, others]) => {
    const together = [...some, ...others]
    return fc.shuffledSubarray(together, { minLength: together.length })
  })
  const inner = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Instruction[]>([]) },
    { weight: 1, arbitrary: fc.array(anyTransfer, { maxLength: 2 }) },
  )
  return fc.record({ purchases: fc.constant(all), instructions, inner })
})

const ownerOf = ({ accounts }: Instruction, known: ReadonlyMap<string, unknown>) => accounts.slice(2).find((account) => known.has(account))

const isFor = ({ transfer }: Instruction, { buyer, transfers }: KnownPurchase) =>
  transfer?.from === buyer && transfers.some(({ to }) => to === transfer.to)

/** What each buyer paid to each seller. */
const sumsOf = (transfers: readonly NonNullable<Instruction['transfer']>[]) =>
  buyers.flatMap((from) =>
    sellers.map((to) => transfers.filter((it) => it.from === from && it.to === to).reduce((sum, it) => sum + it.lamports, 0n)),
  )
const inWords = (to: string, lamports: bigint) => `${lamports} to ${to}`

it('every lamport belongs to one purchase at most, and what is paid is exactly what was agreed', () => {
  const seen = { paid: 0, wrong: 0, second: 0 }
  fc.assert(
    fc.property(market, ({ purchases: all, instructions, inner }) => {
      const transaction = landedWith(instructions, inner)
      const known = knownOf(all, [refund])
      const accounts = new Set(instructions.concat(inner).flatMap((instruction) => instruction.accounts))
      const named = all.filter(({ reference }) => accounts.has(reference))
      const everything = instructions.concat(inner).filter(({ transfer }) => transfer)

      const attributed = named.flatMap((purchase) => {
        const verdict = verifyPayment(transaction, purchase, known)
        if (verdict.kind === 'unrelated') return []
        const received = verdict.kind === 'pays' ? purchase.transfers : verdict.received
        return received.map(({ to, lamports }) => ({ from: purchase.buyer, to, lamports }))
      })

      // What names a purchase is that purchase's; what names none is one's that could mean it. Nothing is lost, nothing counts twice.
      const owed = everything.filter((instruction) => {
        const owner = ownerOf(instruction, known)
        return named.some((purchase) => isFor(instruction, purchase) && (owner === undefined || owner === purchase.reference))
      })
      expect(sumsOf(attributed)).toEqual(sumsOf(owed.flatMap(({ transfer }) => transfer ?? [])))

      const paid = all.filter((purchase) => verifyPayment(transaction, purchase, known).kind === 'pays')
      expect(paid.filter((purchase) => named.includes(purchase)).length).toBeLessThanOrEqual(1)
      for (const purchase of paid.filter((it) => named.includes(it))) {
        const own = everything.filter((it) => isFor(it, purchase) && (ownerOf(it, known) ?? purchase.reference) === purchase.reference)
        expect(own.every((it) => instructions.includes(it) && it.accounts.includes(purchase.reference))).toBe(true)
        expect(own.map(({ transfer }) => inWords(transfer?.to ?? '', transfer?.lamports ?? 0n)).toSorted()).toEqual(
          purchase.transfers.map(({ to, lamports }) => inWords(to, lamports)).toSorted(),
        )
        seen.paid += 1
      }
      for (const purchase of named) {
        const verdict = verifyPayment(transaction, purchase, known)
        if (verdict.kind !== 'wrong') continue
        seen[verdict.complete ? 'second' : 'wrong'] += 1
        expect(verdict.paidPurchase).toBe(paid.find((it) => named.includes(it))?.id)
      }
      // What names nobody's reference pays only where no purchase that is named could mean it.
      for (const purchase of paid.filter((it) => !named.includes(it))) {
        expect(purchase.transfers).toHaveLength(1)
        const own = everything.filter((it) => isFor(it, purchase) && it.accounts.length === 2)
        expect(own).toHaveLength(1)
        expect(named.some((other) => own.some((it) => isFor(it, other)))).toBe(false)
      }
    }),
    { numRuns: 2_000 },
  )
  expect(Math.min(seen.paid, seen.wrong, seen.second)).toBeGreaterThan(50)
})
