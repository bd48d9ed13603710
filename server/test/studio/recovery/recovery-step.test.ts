import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Instruction } from '../../../src/chain/chain.ts'
import { createReferences } from '../../../src/purchases/purchase/reference.ts'
import { findLost, type Known, namedAccounts } from '../../../src/purchases/cases/case.ts'
import { givenUp, outcomeOf, recoveryReply, type RecoveryRow, type RecoveryState } from '../../../src/studio/recovery/recovery.ts'
import { afterHeight, afterListing, afterReading, begin, type Beginning } from '../../../src/studio/recovery/recovery-step.ts'
import { earlierReference } from '../../purchases/purchase/references-0.2.0.ts'
import { landedWith, moves, names } from '../../purchases/payment/landed-transactions.ts'

const own = createReferences(['r'.repeat(32)])
const foreign = createReferences(['f'.repeat(32)])
const address = () => earlierReference('f'.repeat(32), 'purchase')
const [ann, bob, studio, buyer, rival, oldFashioned] = [address(), address(), address(), address(), address(), address()]
const [ownKey, formerKey, otherKey] = [address(), address(), address()]
const [lost, kept] = [own.make('purchase', buyer), own.make('purchase', buyer)]
/** Of a purchase that was held before codes covered a wallet. */
const lostEarlier = earlierReference('r'.repeat(32), 'purchase')
const lostRefund = own.make('refund', ann)
const others = foreign.make('purchase', buyer)

const known: Known = {
  references: new Set([kept, oldFashioned]),
  kindOf: own.kindOf,
  feeWallets: new Set([studio]),
  sellers: new Set([ann]),
  coSigners: [ownKey, formerKey],
}
const find = (instructions: Instruction[], inner: Instruction[] = [], changes: Partial<Known> = {}) =>
  findLost(landedWith(instructions, inner), { ...known, ...changes })

describe('what a transaction moved for purchases that the database has lost', () => {
  it('is found for each seller, with the fee in the first', () => {
    const payment = [moves(buyer, ann, 5n, [lost]), moves(buyer, bob, 7n, [lost]), moves(buyer, studio, 1n, [lost])]
    expect(find(payment)).toEqual({
      lost: [
        { buyer, seller: ann, lamports: 5n, feeLamports: 1n },
        { buyer, seller: bob, lamports: 7n, feeLamports: 0n },
      ],
      refunds: [],
      isOurs: true,
    })
  })

  it('has no seller if only the fee was paid, unless the fee wallet sells by itself', () => {
    const payment = [moves(buyer, studio, 4n, [lost])]
    expect(find(payment).lost).toEqual([{ buyer, seller: null, lamports: 0n, feeLamports: 4n }])
    expect(find(payment, [], { sellers: new Set([studio]) }).lost).toEqual([{ buyer, seller: studio, lamports: 4n, feeLamports: 0n }])
  })

  it('counts what a program moved, and nothing that names no reference or one that somebody else made', () => {
    expect(find([names(lost), moves(buyer, ann, 1n, []), moves(buyer, ann, 2n, [others])], [moves(buyer, ann, 4n, [lost])]).lost).toEqual([
      { buyer, seller: ann, lamports: 4n, feeLamports: 0n },
    ])
  })

  it('is nothing of a transaction that failed', () => {
    const failed = { ...landedWith([moves(buyer, ann, 5n, [lost])]), failed: true }
    expect(findLost(failed, known)).toEqual({ lost: [], refunds: [], isOurs: false })
  })

  it('is nothing that the database knows, with a code or from before there were any', () => {
    const payment = [moves(buyer, ann, 5n, [kept]), moves(buyer, ann, 5n, [oldFashioned])]
    expect(find(payment)).toEqual({ lost: [], refunds: [], isOurs: true })
  })

  it('is nothing of a wallet that names the reference of another, unless it is from before codes covered a wallet', () => {
    expect(find([moves(rival, ann, 5n, [lost])])).toEqual({ lost: [], refunds: [], isOurs: false })
    expect(find([moves(rival, ann, 5n, [lost, lostEarlier])]).lost).toEqual([{ buyer: rival, seller: ann, lamports: 5n, feeLamports: 0n }])
    expect(find([moves(bob, buyer, 5n, [lostRefund])])).toEqual({ lost: [], refunds: [], isOurs: false })
  })

  it('counts whatever a key of the market has signed, if it is not known, even if it pays nobody', () => {
    const signed = (key: string, instructions: Instruction[]) =>
      findLost({ ...landedWith(instructions), signers: [buyer, key] }, { ...known, coSigners: [ownKey, formerKey] })
    const payment = [moves(buyer, ann, 5n, [others])]
    const paid = { buyer, seller: ann, lamports: 5n, feeLamports: 0n }
    expect(signed(ownKey, payment)).toEqual({ lost: [paid], refunds: [], isOurs: true })
    expect(signed(formerKey, payment)).toEqual({ lost: [paid], refunds: [], isOurs: true })
    expect(signed(otherKey, payment)).toEqual({ lost: [], refunds: [], isOurs: false })
    expect(signed(ownKey, [moves(buyer, ann, 5n, [kept])]).lost).toEqual([])
    expect(signed(ownKey, [names(others)]).lost).toEqual([{ buyer, seller: null, lamports: 0n, feeLamports: 0n }])
  })

  it('tells of refunds, which are no payments', () => {
    const refund = { from: ann, to: buyer, lamports: 5n }
    expect(find([moves(ann, buyer, 5n, [lostRefund])])).toEqual({ lost: [], refunds: [refund], isOurs: true })
  })
})

const carried = fc.shuffledSubarray([lost, lostEarlier, kept, oldFashioned, lostRefund, others], { maxLength: 3 })
const anyTransfer = fc
  .tuple(fc.constantFrom(buyer, rival, ann), fc.constantFrom(ann, bob, studio, buyer), fc.bigInt({ min: 0n, max: 9n }), carried)
  .map(([from, to, lamports, extra]) => moves(from, to, lamports, extra))
const isLost = (reference: string | undefined) => reference === lost || reference === lostEarlier
const madeFor = new Map<string, string | undefined>([
  [lost, buyer],
  [lostRefund, ann],
  [others, undefined],
])
const ownerOf = ({ accounts: [from, , ...carried] }: Instruction) =>
  carried.find((account) => !madeFor.has(account) || madeFor.get(account) === from)

describe('each lamport', () => {
  it('that belongs to a lost purchase is in exactly one case of its buyer, and no other is in any', () => {
    fc.assert(
      fc.property(fc.array(anyTransfer, { maxLength: 6 }), fc.array(anyTransfer, { maxLength: 3 }), (instructions, inner) => {
        const { lost: found } = find(instructions, inner)
        for (const from of [buyer, rival, ann]) {
          const owed = [...instructions, ...inner].filter(
            (each) => each.transfer?.from === from && each.transfer.to !== from && isLost(ownerOf(each)),
          )
          const told = found.filter((each) => each.buyer === from)
          const sum = owed.reduce((total, { transfer }) => total + (transfer?.lamports ?? 0n), 0n)
          expect(told.reduce((total, { lamports, feeLamports }) => total + lamports + feeLamports, 0n)).toBe(sum)
          expect(new Set(told.map(({ seller }) => seller)).size).toBe(told.length)
        }
      }),
    )
  })

  it('is looked up by all accounts that could be its reference', () => {
    fc.assert(
      fc.property(fc.array(anyTransfer, { maxLength: 6 }), (instructions) => {
        const accounts = new Set(instructions.flatMap((each) => each.accounts.slice(2)))
        expect(new Set(namedAccounts(landedWith(instructions)))).toEqual(accounts)
      }),
    )
  })
})

const isOurs: Beginning['isOurs'] = ({ reference, buyer: payer }) => own.kindOf(reference, payer) !== undefined

const fresh: RecoveryState = {
  part: 'waiting',
  genesisHash: null,
  sinceSlot: null,
  neededSlot: null,
  blockHeight: null,
  expiryHeight: null,
  feeWallets: [],
  lastWallet: '',
  wallets: 0,
  walletsListed: 0,
  transactions: 0,
  transactionsRead: 0,
  payments: 0,
  casesOpened: 0,
  refunds: [],
  refundsCount: 0,
  unchecked: [],
  uncheckedCount: 0,
  limits: [],
}
const purchase = (heldAtSlot: bigint, changes: object = {}) => ({
  buyer,
  reference: own.make('purchase', buyer) as string,
  genesisHash: 'ours',
  heldAtSlot,
  feeWallet: null,
  hasCode: true,
  ...changes,
})
const beginning = (changes: Partial<Beginning> = {}): Beginning => ({
  genesisHash: 'ours',
  expiryHeight: 500n,
  finalizedSlot: 40_000n,
  newest: [purchase(9_000n), purchase(8_000n)],
  isOurs,
  seen: undefined,
  feeWallet: undefined,
  wallets: 3,
  feeWallets: [],
  ...changes,
})
const begun = (changes: Partial<Beginning> = {}) => begin(fresh, beginning(changes)).state
const limits = (changes: Partial<Beginning>) => begun(changes).limits.join('\n')

describe('a recovery', () => {
  it('looks back to the newest thing that the database knows of this chain, and some minutes more', () => {
    expect(begun()).toMatchObject({ sinceSlot: 8_000n, neededSlot: 9_000n, expiryHeight: 500n, wallets: 3 })
    const elsewhere = { newest: [purchase(9_000n, { genesisHash: 'another' })] }
    expect(begun(elsewhere)).toMatchObject({ sinceSlot: 0n, neededSlot: 0n })
    const seen = { genesisHash: 'ours', slot: 20_000n }
    expect(begun({ seen })).toMatchObject({ sinceSlot: 19_000n, neededSlot: 20_000n })
    expect(begun({ newest: [purchase(30_000n)], seen })).toMatchObject({ neededSlot: 30_000n })
    expect(begun({ seen: { ...seen, genesisHash: 'another' } })).toMatchObject({ neededSlot: 9_000n })
  })

  it('believes no slot that the chain has not reached', () => {
    const told = { newest: [purchase(1_000_000n), purchase(8_000n)], seen: { genesisHash: 'ours', slot: 2_000_000n } }
    expect(begun(told)).toMatchObject({ sinceSlot: 7_000n, neededSlot: 8_000n })
    expect(begun({ newest: [purchase(40_050n)] })).toMatchObject({ neededSlot: 40_050n })
  })

  it('cannot check anything with another secret than the purchases that the database has were made with', () => {
    const reference = foreign.make('purchase', buyer)
    expect(begun()).toMatchObject({ unchecked: [], uncheckedCount: 0 })
    expect(begun({ newest: [purchase(1n), purchase(2n, { reference })] })).toMatchObject({
      unchecked: [expect.stringContaining('1 of the newest 2, whose references were made with another REFERENCE_SECRET')],
      uncheckedCount: 1,
    })
    const earlier = begun({ newest: [purchase(1n), purchase(2n, { reference, hasCode: false })] })
    expect(earlier).toMatchObject({ unchecked: [], uncheckedCount: 0 })
    expect(earlier.limits.join()).toContain('1 of the newest 2 purchases were begun by a version before')
  })

  it('says what it cannot find: without any purchase, without a fee', () => {
    expect(limits({})).not.toContain('REFERENCE_SECRET')
    expect(limits({ newest: [] })).toContain('no purchase by which the REFERENCE_SECRET could be checked')
    expect(limits({})).toContain('without a fee only payments that the market has signed tell')
    expect(limits({})).toContain('Payments without a reference')
    expect(limits({ feeWallet: 'the studio' })).toContain('payments that the market has signed or that paid a fee')
  })

  it('waits until nothing can land any more that was signed before it began', () => {
    const waits: RecoveryState = { ...fresh, expiryHeight: 500n }
    expect(afterHeight(waits, 500n).state).toMatchObject({ part: 'waiting', blockHeight: 500n })
    expect(afterHeight(waits, 501n).state).toMatchObject({ part: 'listing' })
  })

  it('lists wallets in their order, and tells of those that it cannot list', () => {
    const wallets = ['a', 'b'] as WalletAddress[]
    const listed = [{ signatures: ['s' as Signature] }, { unchecked: 'b: why' }]
    const step = afterListing({ ...fresh, part: 'listing', wallets: 3 }, wallets, listed)
    expect(step).toMatchObject({ listed: ['s'], done: false })
    expect(step.state).toMatchObject({ lastWallet: 'b', walletsListed: 2, wallets: 3, unchecked: ['b: why'], uncheckedCount: 1 })
    expect(afterListing(step.state, [], []).state.part).toBe('reading')
  })

  it('reads every transaction once, and tells of those that nobody shows', () => {
    const none = new Set<string>()
    const known = { references: none, kindOf: own.kindOf, feeWallets: none, sellers: none, coSigners: [] }
    const [from, to] = [buyer, ann]
    const transaction = landedWith([moves(from, to, 5n, [own.make('purchase', from)]), moves(to, from, 2n, [own.make('refund', to)])])
    const read = ['one', 'two'] as Signature[]
    const step = afterReading({ ...fresh, part: 'reading', transactions: 2 }, [
      { signature: read[0]!, found: { transaction, known } },
      { signature: read[1]!, found: undefined },
    ])
    expect(step).toMatchObject({ read, done: false, lost: [{ signature: 'one', payment: { buyer: from, seller: to, lamports: 5n } }] })
    expect(step.state).toMatchObject({ transactionsRead: 2, payments: 1, uncheckedCount: 1 })
    expect(step.state.refunds).toEqual([`2 lamports from ${to} to ${from}, transaction one`])
    // The first hundred are kept, and all are counted.
    const many = { ...fresh, refunds: Array.from({ length: 100 }, (_, number) => String(number)), refundsCount: 150 }
    const { refunds, refundsCount } = afterReading(many, [{ signature: read[0]!, found: { transaction, known } }]).state
    expect([refunds, refundsCount]).toEqual([many.refunds, 151])
    expect(afterReading(step.state, []).done).toBe(true)
  })

  it('ends clean only if it found nothing and checked everything', () => {
    const [since, createdAt, finishedAt] = [new Date(0), new Date(0), new Date(1)]
    const row: RecoveryRow = { ...fresh, id: 'id', rewindId: 'rewind', since, createdAt, finishedAt, failures: 0, isPaused: true }
    expect(outcomeOf(row)).toBe('clean')
    expect(outcomeOf({ ...row, finishedAt: null })).toBeNull()
    expect(outcomeOf({ ...row, uncheckedCount: 1 })).toBe('unchecked')
    expect(outcomeOf({ ...row, uncheckedCount: 1, casesOpened: 1 })).toBe('cases')
    const stopped = givenUp({ ...fresh, part: 'listing', wallets: 5, walletsListed: 2 }, 'no answer')
    expect(stopped.unchecked).toEqual(['3 wallets and the transactions of the others: no answer'])
    expect(recoveryReply({ ...row, ...stopped })).toMatchObject({ outcome: 'unchecked', marketPaused: true, uncheckedCount: 1 })
  })
})
