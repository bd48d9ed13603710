import { base58, base64 } from '@scure/base'
import { describe, expect, it } from 'vitest'

import { createSentMessages } from '../../chaos/chain-faults/sent-messages.ts'
import { type LandedTransaction } from '../../chaos/checks/chain-record.ts'
import { checkCoSigner } from '../../chaos/checks/check-outcome.ts'
import { type CaseSeen, type PurchaseSeen } from '../../chaos/checks/product-record.ts'
import { createJournal } from '../../chaos/players/journal.ts'

const coSigner = 'market'
const signed = (signature: string, signers = ['buyer', coSigner]): LandedTransaction => {
  return { signature, signers, feePayer: 'buyer', fee: 10_000n, transfers: [] }
}

const sold: PurchaseSeen = {
  purchaseId: 'p1',
  buyer: 'buyer',
  items: [],
  fee: { lamports: '0' },
  status: 'settled',
  endReason: null,
  signature: 'paid',
  coSigned: true,
  createdAt: '2030-01-01T00:00:01.500Z',
  settledAt: '2030-01-01T00:00:02.500Z',
}

const lost: CaseSeen = {
  caseId: 'c1',
  kind: 'late',
  status: 'open',
  purchaseId: 'p2',
  buyer: 'buyer',
  seller: 'seller',
  lamports: '300',
  fee: null,
  signature: 'late',
  refundSignature: null,
}

interface Seen {
  landed: LandedTransaction[]
  purchases?: PurchaseSeen[]
  cases?: CaseSeen[]
  rolledBack?: string[]
  forked?: string[]
  journal?: ReturnType<typeof createJournal>
}

function check({ landed, purchases = [sold], cases = [], rolledBack = [], forked = [], journal = createJournal() }: Seen): string[] {
  const none = { listings: new Map(), balances: new Map(), seenBy: new Map() }
  const product = {
    ...none,
    purchases: new Map(purchases.map((purchase) => [purchase.purchaseId, purchase])),
    cases: new Map(cases.map((found) => [found.caseId, found])),
  }
  const chain = {
    landed: new Map(landed.map((transaction) => [transaction.signature, transaction])),
    rolledBack: new Set(rolledBack),
    forked: new Set(forked),
  }
  return checkCoSigner({ ...chain, journal, product, coSigner })
}

/** What the clients know of their payments. */
function knowing(known: Partial<ReturnType<typeof createJournal>['coSigned']>) {
  const journal = createJournal()
  return { ...journal, coSigned: { ...journal.coSigned, ...known } }
}

describe('what the market has signed', () => {
  it('is what it sold so, what became a case, and what the chain has undone', () => {
    expect(check({ landed: [signed('paid'), signed('late'), signed('undone')], cases: [lost], rolledBack: ['undone'] })).toEqual([])
  })

  it('need not be on the chain any more if a fork took it', () => {
    expect(check({ landed: [], forked: ['paid'] })).toEqual([])
    expect(check({ landed: [] })).toHaveLength(1)
  })

  it('is reported if it is neither a purchase nor a case', () => {
    expect(check({ landed: [signed('paid'), signed('other')] })).toEqual([
      'the market has signed other, which is neither a purchase nor a case',
    ])
    expect(check({ landed: [signed('paid')], purchases: [{ ...sold, status: 'ended' }] })).toHaveLength(1)
  })

  it('is missed if it was delivered for something else', () => {
    const sentence = 'purchase p1 was delivered for paid, which the market has not signed'
    expect(check({ landed: [] })).toEqual([sentence])
    expect(check({ landed: [signed('paid', ['buyer'])] })).toEqual([sentence])
  })

  it('is no matter of payments that wallets send by themselves', () => {
    expect(check({ landed: [signed('paid', ['buyer'])], purchases: [{ ...sold, coSigned: false }] })).toEqual([])
  })
})

describe('on the chain', () => {
  it('is nothing that was refused, under whichever signature', () => {
    const journal = knowing({ refused: new Map([['paid', 'PAYMENT_EXPIRED']]), copies: new Map([['copy', 'paid']]) })
    const sentence = (signature: string) => [`payment ${signature} was refused (PAYMENT_EXPIRED) and is on the chain`]
    expect(check({ landed: [signed('paid')], journal })).toEqual(sentence('paid'))
    expect(check({ landed: [signed('copy')], purchases: [{ ...sold, signature: 'copy' }], journal })).toEqual(sentence('copy'))
  })

  it('is nothing that was never submitted', () => {
    const journal = knowing({ kept: new Set(['paid']) })
    expect(check({ landed: [signed('paid')], journal })).toEqual(['payment paid was never submitted and is on the chain'])
  })

  it('is one transaction of each message', () => {
    const journal = knowing({ copies: new Map([['copy', 'paid']]) })
    expect(check({ landed: [signed('paid'), signed('copy')], cases: [{ ...lost, signature: 'copy' }], journal })).toEqual([
      'copy and paid are one message, and both are on the chain',
    ])
  })
})

describe('the proxy of the chain', () => {
  const bytesOf = (first: number, message: number) =>
    base64.encode(new Uint8Array([2, ...Array(64).fill(first), ...Array(64).fill(7), message]))
  const signatureOf = (first: number) => base58.encode(new Uint8Array(64).fill(first))

  it('hands on each message under one signature, again and again', () => {
    const sent = createSentMessages({ tellsApart: false })
    expect([bytesOf(1, 9), bytesOf(2, 9), bytesOf(1, 9), bytesOf(2, 8)].map((bytes) => sent.handOn(bytes))).toEqual([
      bytesOf(1, 9),
      undefined,
      bytesOf(1, 9),
      bytesOf(2, 8),
    ])
  })

  it('hands on a message under the signature that an attacker prefers', () => {
    const sent = createSentMessages({ tellsApart: false })
    sent.sendInstead(signatureOf(1), signatureOf(2))
    expect([bytesOf(1, 9), bytesOf(1, 9), bytesOf(2, 9)].map((bytes) => sent.handOn(bytes))).toEqual(Array(3).fill(bytesOf(2, 9)))
  })
})
