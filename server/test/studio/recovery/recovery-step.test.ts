import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { describe, expect, it } from 'vitest'

import { createReferences } from '../../../src/purchases/reference.ts'
import { givenUp, outcomeOf, recoveryReply, type RecoveryRow, type RecoveryState } from '../../../src/studio/recovery/recovery.ts'
import { afterHeight, afterListing, afterReading, begin, type Beginning } from '../../../src/studio/recovery/recovery-step.ts'
import { landedWith, moves } from '../../purchases/payment/landed-transactions.ts'

const own = createReferences(['r'.repeat(32)])
const isOurs = (reference: string) => own.kindOf(reference) !== undefined

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
  unchecked: [],
  uncheckedCount: 0,
  limits: [],
}
const purchase = (heldAtSlot: bigint, changes: object = {}) => ({
  reference: own.make('purchase') as string,
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
const limits = (changes: Partial<Beginning>) => begin(fresh, beginning(changes)).state.limits.join('\n')

describe('a recovery', () => {
  it('looks back to the newest thing that the database knows of this chain, and some minutes more', () => {
    expect(begin(fresh, beginning()).state).toMatchObject({ sinceSlot: 8_000n, neededSlot: 9_000n, expiryHeight: 500n, wallets: 3 })
    const elsewhere = { newest: [purchase(9_000n, { genesisHash: 'another' })] }
    expect(begin(fresh, beginning(elsewhere)).state).toMatchObject({ sinceSlot: 0n, neededSlot: 0n })
    const seen = { genesisHash: 'ours', slot: 20_000n }
    expect(begin(fresh, beginning({ seen })).state).toMatchObject({ sinceSlot: 19_000n, neededSlot: 20_000n })
    expect(begin(fresh, beginning({ newest: [purchase(30_000n)], seen })).state).toMatchObject({ neededSlot: 30_000n })
    expect(begin(fresh, beginning({ seen: { ...seen, genesisHash: 'another' } })).state).toMatchObject({ neededSlot: 9_000n })
  })

  it('believes no slot that the chain has not reached', () => {
    const told = { newest: [purchase(1_000_000n), purchase(8_000n)], seen: { genesisHash: 'ours', slot: 2_000_000n } }
    expect(begin(fresh, beginning(told)).state).toMatchObject({ sinceSlot: 7_000n, neededSlot: 8_000n })
    expect(begin(fresh, beginning({ newest: [purchase(40_050n)] })).state).toMatchObject({ neededSlot: 40_050n })
  })

  it('cannot check anything with another secret than the purchases that the database has were made with', () => {
    const reference = createReferences(['f'.repeat(32)]).make('purchase')
    expect(begin(fresh, beginning()).state).toMatchObject({ unchecked: [], uncheckedCount: 0 })
    expect(begin(fresh, beginning({ newest: [purchase(1n), purchase(2n, { reference })] })).state).toMatchObject({
      unchecked: [expect.stringContaining('1 of the newest 2, whose references were made with another REFERENCE_SECRET')],
      uncheckedCount: 1,
    })
    const earlier = begin(fresh, beginning({ newest: [purchase(1n), purchase(2n, { reference, hasCode: false })] })).state
    expect(earlier).toMatchObject({ unchecked: [], uncheckedCount: 0 })
    expect(earlier.limits.join()).toContain('1 of the newest 2 purchases were begun by a version before')
  })

  it('says what it cannot find: without any purchase, without a fee', () => {
    expect(limits({})).not.toContain('REFERENCE_SECRET')
    expect(limits({ newest: [] })).toContain('no purchase by which the REFERENCE_SECRET could be checked')
    expect(limits({})).toContain('without a fee nothing tells')
    expect(limits({})).toContain('Payments without a reference')
    expect(limits({ feeWallet: 'the studio' })).toContain('payments that paid a fee')
  })

  it('waits until nothing can land any more that was signed before it began', () => {
    const waits: RecoveryState = { ...fresh, expiryHeight: 500n }
    expect(afterHeight(waits, 500n).state).toMatchObject({ part: 'waiting', blockHeight: 500n })
    expect(afterHeight(waits, 501n).state).toMatchObject({ part: 'listing' })
  })

  it('lists wallets in their order, and tells of those that it cannot list', () => {
    const wallets = ['a', 'b'] as WalletAddress[]
    const step = afterListing({ ...fresh, part: 'listing', wallets: 3 }, wallets, [
      { signatures: ['s' as Signature] },
      { unchecked: 'b: why' },
    ])
    expect(step).toMatchObject({ listed: ['s'], done: false })
    expect(step.state).toMatchObject({ lastWallet: 'b', walletsListed: 2, wallets: 3, unchecked: ['b: why'], uncheckedCount: 1 })
    expect(afterListing(step.state, [], []).state.part).toBe('reading')
  })

  it('reads every transaction once, and tells of those that nobody shows', () => {
    const known = { references: new Set<string>(), kindOf: own.kindOf, feeWallets: new Set<string>(), sellers: new Set<string>() }
    const [from, to] = [own.make('refund'), own.make('refund')]
    const transaction = landedWith([moves(from, to, 5n, [own.make('purchase')]), moves(to, from, 2n, [own.make('refund')])])
    const read = ['one', 'two'] as Signature[]
    const step = afterReading({ ...fresh, part: 'reading', transactions: 2 }, [
      { signature: read[0]!, found: { transaction, known } },
      { signature: read[1]!, found: undefined },
    ])
    expect(step).toMatchObject({ read, done: false, lost: [{ signature: 'one', payment: { buyer: from, seller: to, lamports: 5n } }] })
    expect(step.state).toMatchObject({ transactionsRead: 2, payments: 1, uncheckedCount: 1 })
    expect(step.state.refunds).toEqual([`2 lamports from ${to} to ${from}, transaction one`])
    expect(afterReading(step.state, []).done).toBe(true)
  })

  it('ends clean only if it found nothing and checked everything', () => {
    const row: RecoveryRow = {
      ...fresh,
      id: 'id',
      rewindId: 'rewind',
      since: new Date(0),
      createdAt: new Date(0),
      finishedAt: new Date(1),
      failures: 0,
      isPaused: true,
    }
    expect(outcomeOf(row)).toBe('clean')
    expect(outcomeOf({ ...row, finishedAt: null })).toBeNull()
    expect(outcomeOf({ ...row, uncheckedCount: 1 })).toBe('unchecked')
    expect(outcomeOf({ ...row, uncheckedCount: 1, casesOpened: 1 })).toBe('cases')
    const stopped = givenUp({ ...fresh, part: 'listing', wallets: 5, walletsListed: 2 }, 'no answer')
    expect(stopped.unchecked).toEqual(['3 wallets and the transactions of the others: no answer'])
    expect(recoveryReply({ ...row, ...stopped })).toMatchObject({ outcome: 'unchecked', marketPaused: true, uncheckedCount: 1 })
  })
})
