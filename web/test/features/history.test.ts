import { type Purchase } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { csvLine, drinksIn, feeShares, receiptOf, toCsv } from '../../src/features/history/csv.ts'
import { explorerLink } from '../../src/features/history/signature-link.tsx'
import { type LedgerEntry, ledgerHead, ledgerLines } from '../../src/features/history/profit/profit-view.tsx'
import { signedSol, solOf } from '../../src/features/history/profit/profit-view.tsx'
import { outcome } from '../../src/features/history/history.tsx'
import { endedText } from '../../src/features/purchase/order/order-terms.ts'

test('a payment links to an explorer if its chain has one', () => {
  expect(explorerLink('mainnet', 'abc')).toBe('https://explorer.solana.com/tx/abc')
  expect(explorerLink('devnet', 'abc')).toBe('https://explorer.solana.com/tx/abc?cluster=devnet')
  expect(explorerLink('testnet', 'abc')).toBe('https://explorer.solana.com/tx/abc?cluster=testnet')
  expect(explorerLink('localnet', 'abc')).toBeUndefined()
})

const purchase: Purchase = {
  purchaseId: 'p"1',
  listingId: 'listing-1',
  buyer: 'B',
  seller: 'S',
  tokenType: 'APPLE_JUICE',
  tokenName: 'Apple Juice',
  amount: 3,
  price: 0.5,
  lamports: '500000000',
  items: [
    {
      listingId: 'listing-1',
      partOf: null,
      seller: 'S',
      tokenType: 'APPLE_JUICE',
      tokenName: 'Apple Juice',
      amount: 3,
      lamports: '500000000',
      price: 0.5,
    },
  ],
  fee: { lamports: '0', basisPoints: 0 },
  status: 'settled',
  endReason: null,
  waitsForStudio: false,
  releaseReason: null,
  stage: 'delivered',
  signature: null,
  reference: 'R',
  coSigned: false,
  sendsThrough: 'server',
  payBefore: '2026-01-01T00:01:00.000Z',
  payMillisLeft: 0,
  cooldownUntil: null,
  earlierChain: false,
  finalized: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  settledAt: null,
}

test('a hold that only the studio can end says so, and once released says why', () => {
  expect(outcome({ ...purchase, status: 'held' })).toBe('Waiting for the payment')
  expect(outcome({ ...purchase, status: 'held', coSigned: true })).toBe('Payment under way')
  expect(outcome({ ...purchase, status: 'held', waitsForStudio: true })).toBe('Waiting for the studio')
  const released: Purchase = { ...purchase, status: 'ended', endReason: 'released', releaseReason: 'The network has forgotten it.' }
  expect(outcome(released)).toBe('Released by the studio: The network has forgotten it.')
  expect(endedText(released)).toMatch(/^The studio released this listing: The network has forgotten it\. If you paid/)
})

describe('a history as comma-separated values', () => {
  const item = (seller: string, lamports: string, tokenName: 'Apple Juice' | 'Grape Soda' = 'Apple Juice'): Purchase['items'][number] => ({
    listingId: `${seller} ${lamports}`,
    partOf: null,
    seller,
    tokenType: tokenName === 'Apple Juice' ? 'APPLE_JUICE' : 'GRAPE_SODA',
    tokenName,
    amount: 3,
    lamports,
    price: Number(lamports) / 1e9,
  })
  const several: Purchase = {
    ...purchase,
    purchaseId: 'several',
    items: [item('S1', '1'), item('S2', '500000000', 'Grape Soda'), item('S1', '499999999')],
    fee: { lamports: '25000001', basisPoints: 250 },
  }

  test('has one line for each item', () => {
    const [head, row, ...others] = toCsv([purchase], undefined).split('\r\n')
    expect(head).toBe('createdAt,settledAt,status,endReason,tokenName,amount,price,lamports,buyer,seller,signature,purchaseId')
    expect(row).toBe('2026-01-01T00:00:00.000Z,,settled,,Apple Juice,3,0.5,500000000,B,S,,"p""1"')
    expect(others).toEqual([])
  })

  test('gives each item its share of the fee, down to the last lamport', () => {
    const [head = [], ...rows] = toCsv([several, purchase], undefined)
      .split('\r\n')
      .map((line) => line.split(','))
    expect(head.slice(-2)).toEqual(['fee', 'feeLamports'])
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)])
    expect(column('tokenName')).toEqual(['Apple Juice', 'Grape Soda', 'Apple Juice', 'Apple Juice'])
    expect(column('price')).toEqual(['0.000000001', '0.5', '0.499999999', '0.5'])
    expect(column('seller')).toEqual(['S1', 'S2', 'S1', 'S'])
    expect(column('feeLamports')).toEqual(['0', '12500000', '12500001', '0'])
    expect(column('fee')).toEqual(['0', '0.0125', '0.012500001', '0'])
  })

  test('holds for a seller only what was bought there, and no fee', () => {
    const text = toCsv([several], 'S2')
    expect(text.split('\r\n')).toHaveLength(2)
    expect(text).toContain('Grape Soda,3,0.5,500000000,B,S2,,several')
    expect(text).not.toMatch(/fee/)
  })
})

describe('a receipt', () => {
  const price = fc.bigInt({ min: 1n, max: 10n ** 15n })

  test('shares the fee among its items so that nothing is lost', () => {
    fc.assert(
      fc.property(fc.array(price, { minLength: 1, maxLength: 20 }), fc.bigInt({ min: 0n, max: 10n ** 15n }), (prices, fee) => {
        const items = prices.map((lamports) => ({ ...(purchase.items[0] as Purchase['items'][number]), lamports: `${lamports}` }))
        const shares = feeShares(receiptOf({ items, fee: { lamports: `${fee}`, basisPoints: 0 } }, undefined))
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(fee)
        expect(shares.every((share) => share >= 0n)).toBe(true)
      }),
    )
  })

  test('names its drinks if they are of one kind', () => {
    const two = (tokenName: 'Apple Juice' | 'Grape Soda') => {
      const [first] = purchase.items
      if (!first) throw new Error('no item')
      const tokenType = tokenName === 'Apple Juice' ? 'APPLE_JUICE' : 'GRAPE_SODA'
      return drinksIn(receiptOf({ ...purchase, items: [first, { ...first, tokenName, tokenType }] }, undefined))
    }
    expect(two('Apple Juice')).toEqual({ amount: 6, name: 'Apple Juice', tokenType: 'APPLE_JUICE' })
    expect(two('Grape Soda')).toEqual({ amount: 6, name: 'drinks', tokenType: undefined })
  })
})

describe('a ledger as comma-separated values', () => {
  const entry: LedgerEntry = {
    id: 'purchase.01',
    kind: 'bought',
    tokenType: 'APPLE_JUICE',
    amount: 3,
    lamports: '1234500000',
    feeLamports: '1',
    signature: 'S'.repeat(88),
    counterparty: 'SELLER',
    undone: false,
    at: '2030-01-01T00:00:00.000Z',
  }
  const credited: LedgerEntry = {
    ...entry,
    id: '7',
    kind: 'credited',
    lamports: '0',
    feeLamports: '0',
    signature: null,
    counterparty: null,
  }

  test('says when, what, how many, for how much and with whom, in whole nine decimals', () => {
    expect(ledgerHead).toBe('time,kind,item,amount,SOL,fee,signature,counterparty,note,id\r\n')
    expect(ledgerLines([entry, credited])).toBe(
      `2030-01-01T00:00:00.000Z,bought,Apple Juice,3,1.234500000,0.000000001,${'S'.repeat(88)},SELLER,,purchase.01\r\n` +
        '2030-01-01T00:00:00.000Z,credited,Apple Juice,3,0.000000000,0.000000000,,studio,,7\r\n',
    )
    expect(ledgerLines([{ ...entry, undone: true, lamports: '0' }])).toContain(',SELLER,the network undid the payment: delivered unpaid,')
    expect(ledgerLines([])).toBe('')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('is text to a spreadsheet, also where it begins like a formula: %j', (text) => {
    expect(csvLine([text])).toMatch(/^"?'/)
  })

  test('can be read again, whatever is in it', () => {
    const value = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', "'", '=') })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
        const guarded = values.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text))
        expect(readCsvLine(csvLine(values))).toEqual(guarded)
      }),
    )
  })
})

/** Reads one row by RFC 4180. */
function readCsvLine(line: string): string[] {
  const rest = line.replace(/\r\n$/, '')
  return [...`,${rest}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
}

test('gains and losses have a sign', () => {
  expect([5_000_000n, 0n, -1n].map(signedSol)).toEqual(['+0.005 SOL', '0 SOL', '−0.000000001 SOL'])
  expect(solOf('1234500000000')).toBe('1,234.5 SOL')
})
