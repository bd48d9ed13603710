import { base64 } from '@scure/base'
import { type Case } from '@juicebar/contract/schemas'
import { expect, test } from 'vitest'

import { refundCase } from '../../src/features/cases/open-cases.tsx'
import { buildPayment } from '../../src/payment/build-payment.ts'
import { WalletError } from '../../src/wallet/wallet-error.ts'
import { address, type Answer, buyer as seller, offer, openMarket } from '../support/purchase-run.ts'

const PREPARE = 'POST /api/marketplace/cases/case-1/refund'
const SUBMIT = 'POST /api/marketplace/cases/case-1/refund-payment'
const { coSigner } = offer
const subject = { caseId: 'case-1', buyer: address, lamports: '400000000' } as Case
const market = { network: 'localnet', refundCoSigner: coSigner } as const
const blockhash = 'FfKDQbhBwkZ7Wq3oyrPYC2oYP8cVZQzVZ1oyrPYC2oYP'

/** What the server prepares, with a co-signer or without. */
function prepared(names: { coSigner?: string }) {
  const transfers = [{ to: address, lamports: 400_000_000n }]
  const lifetime = { blockhash, lastValidBlockHeight: 150n }
  const transaction = buildPayment({ from: seller, transfers, reference: coSigner, ...names, version: 0, lifetime })
  return Response.json({
    refundDetails: { reference: coSigner, coSigner: names.coSigner ?? null, transaction: base64.encode(transaction) },
  })
}

/** A server that prepares what it is asked for, and a wallet that signs as `sign` does. */
function open(sign: ((transaction: Uint8Array) => Uint8Array) | undefined, replies: Record<string, Answer> = {}) {
  const { made } = openMarket(sign && (async ({ transaction }) => [{ signedTransaction: sign(transaction) }]), {
    [PREPARE]: () => prepared(made.at(-1)?.body['coSigned'] ? { coSigner } : {}),
    [SUBMIT]: { signature: 'signature' },
    ...replies,
  })
  return made
}

const asked = (made: ReturnType<typeof open>) => made.filter(({ name }) => name === PREPARE).map(({ body }) => body['coSigned'])
const submitted = (made: ReturnType<typeof open>) => made.filter(({ name }) => name === SUBMIT)

test('a wallet that signs without sending signs a refund that only the market can send', async () => {
  const made = open((transaction) => transaction)
  expect(await refundCase(subject, market)).toEqual({ mayLandUntil: undefined, warning: undefined })
  expect(asked(made)).toEqual([true])
  expect(submitted(made)).toHaveLength(1)
})

test('in a market that does not co-sign, its refund needs no other signature', async () => {
  const made = open((transaction) => transaction)
  await refundCase(subject, { ...market, refundCoSigner: null })
  expect(asked(made)).toEqual([false])
})

test('a wallet that sends by itself sends a refund that needs no other signature', async () => {
  const made = open(undefined)
  expect(await refundCase(subject, market)).toMatchObject({ mayLandUntil: expect.any(Number) })
  expect(asked(made)).toEqual([false])
})

test('a wallet that fails on two signers is asked for its own signature alone, then and later', async () => {
  const signers: number[] = []
  const made = open((transaction) => {
    signers.push(transaction[0] ?? 0)
    if (signers.length === 1) throw new WalletError('internal')
    return transaction
  })
  await refundCase(subject, market)
  await refundCase(subject, market)
  expect(signers).toEqual([2, 1, 1])
  expect(asked(made)).toEqual([true, false, false])
  expect(submitted(made)).toHaveLength(2)
})

test('a seller who declines is not asked again', async () => {
  const made = open(() => {
    throw new WalletError('rejected')
  })
  await expect(refundCase(subject, market)).rejects.toThrow('You declined the request in your wallet. No SOL moved.')
  expect(asked(made)).toEqual([true])
})

test('a market that has stopped to co-sign is asked for a refund that needs no other signature', async () => {
  const off = () => Response.json({ error: 'off', code: 'CO_SIGN_OFF' }, { status: 409 })
  const made = open((transaction) => transaction, {
    [PREPARE]: () => (made.at(-1)?.body['coSigned'] ? off() : prepared({})),
  })
  await refundCase(subject, market)
  expect(asked(made)).toEqual([true, false])
})
