import { expect, it } from 'vitest'

import { type Lie, lieAbout } from '../../chaos/chain-faults/lies.ts'

const context = { slot: 30_000 }
const status = { slot: 29_990, confirmations: 3, err: null, confirmationStatus: 'confirmed' }
const blockhash = { context, value: { blockhash: '1'.repeat(32), lastValidBlockHeight: 30_100 } }

it.each<[Lie, string, unknown, unknown]>([
  ['farAhead', 'getSlot', 30_000, 1_030_000],
  ['farBehind', 'getBlockHeight', 30_000, 10_000],
  ['farBehind', 'getSlot', 5_000, 0],
  ['farAhead', 'getBalance', { context, value: 7 }, { context: { slot: 1_030_000 }, value: 7 }],
  ['farAhead', 'getMinimumBalanceForRentExemption', 890_880, 890_880],
  [
    'farAhead',
    'getSignatureStatuses',
    { context, value: [status] },
    { context: { slot: 1_030_000 }, value: [{ ...status, slot: 1_029_990 }] },
  ],
  ['wrongBlockhashes', 'isBlockhashValid', { context, value: true }, { context, value: false }],
  [
    'failingSimulations',
    'simulateTransaction',
    { context, value: { err: null } },
    { context, value: expect.objectContaining({ err: expect.anything() }) },
  ],
  ['failingSimulations', 'getSlot', 30_000, 30_000],
  ['hiding', 'getTransaction', { slot: 1 }, null],
  ['hiding', 'getSignaturesForAddress', [{ signature: 'paid' }], []],
  ['hiding', 'getSignatureStatuses', { context, value: [status, null] }, { context, value: [null, null] }],
  ['broadcasting', 'simulateTransaction', { context, value: { err: null } }, { context, value: { err: null } }],
])('an endpoint that lies (%s) answers %s otherwise', (lie, method, result, told) => {
  expect(lieAbout(lie, { id: 1, method, params: [] }, result)).toEqual(told)
})

it('an endpoint that lies about blockhashes tells one that the chain does not know', () => {
  const call = { id: 1, method: 'getLatestBlockhash', params: [] }
  expect(lieAbout('wrongBlockhashes', call, blockhash)).not.toEqual(blockhash)
  expect(lieAbout('wrongBlockhashes', call, blockhash)).toMatchObject({ context, value: { lastValidBlockHeight: 30_100 } })
})
