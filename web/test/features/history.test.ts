import { type Purchase } from '@juicebar/contract/schemas'
import { expect, test } from 'vitest'

import { toCsv } from '../../src/features/history/csv.ts'
import { explorerLink } from '../../src/features/history/explorer-link.ts'
import { outcome } from '../../src/features/history/outcome.ts'
import { endedText } from '../../src/features/purchase/flow/ended-text.ts'

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
  expect(outcome({ ...purchase, status: 'held', waitsForStudio: true })).toBe('Waiting for the studio')
  const released: Purchase = { ...purchase, status: 'ended', endReason: 'released', releaseReason: 'The network has forgotten it.' }
  expect(outcome(released)).toBe('Released by the studio: The network has forgotten it.')
  expect(endedText(released)).toMatch(/^The studio released this lot: The network has forgotten it\. If you paid/)
})

test('a history becomes rows of comma-separated values', () => {
  const [head, row] = toCsv([purchase]).split('\r\n')
  expect(head).toBe('createdAt,settledAt,status,endReason,tokenName,amount,price,lamports,buyer,seller,signature,purchaseId')
  expect(row).toBe('2026-01-01T00:00:00.000Z,,settled,,Apple Juice,3,0.5,500000000,B,S,,"p""1"')
})
