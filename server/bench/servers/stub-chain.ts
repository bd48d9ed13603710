import { type Signature } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { Failure } from '@juicebar/contract/errors'
import type pg from 'pg'

import { BLOCKHASH_BLOCKS, type Chain, type LandedTransaction, type SignatureStatus } from '../../src/chain/chain.ts'

export const STUB_GENESIS = 'the bench has no chain'
const SLOT = 10n
const FINAL: SignatureStatus = { slot: SLOT, commitment: 'finalized', failed: false }
const BYTES = new Uint8Array(220)

/** The length of the text of the least 64 bytes that begin with a "3" in base58. */
const SIGNATURE_LENGTH = 87

/**
 * The signature of a purchase's payment on the stub chain: the reference between a "3", so that the number has 64 bytes, and zeros. Made
 * without encoding anything, since the server makes one for each purchase while it is measured.
 */
export function stubSignature(reference: string): Signature {
  return `3${reference}`.padEnd(SIGNATURE_LENGTH, '1') as Signature
}

/**
 * A chain port on which every payment, each to a single seller, is landed and final: `stubSignature` names it. All held purchases are
 * read at once, so that the stub adds no round trip for each of them.
 */
export function createStubChain(pool: pg.Pool): Chain {
  const landed = new Map<string, LandedTransaction>()
  const unavailable = () => Promise.reject(new Failure('CHAIN_DOWN'))
  let reading: Promise<void> | undefined
  const readAhead = async () => {
    const { rows } = await pool.query<{ buyer: string; seller: string; price: bigint; reference: string }>(
      `select buyer, sellers[1] as seller, price_lamports as price, reference from purchases where status = 'held'`,
    )
    landed.clear()
    for (const { buyer, seller, price, reference } of rows) {
      const signature = stubSignature(reference)
      landed.set(signature, payment({ buyer, seller, price, reference, signature }))
    }
  }
  return {
    genesisHash: async () => STUB_GENESIS,
    isUp: () => true,
    isWhole: () => true,
    endpoints: () => [],
    isSaturated: () => false,
    hasSpare: () => true,
    budget: () => ({ perSecond: 1_000_000, backlogSeconds: 0 }),
    balance: async () => lamports(1_000_000_000_000n),
    rentExemptMinimum: async () => lamports(890_880n),
    latestBlockhash: unavailable,
    highestSlot: async () => SLOT,
    reachedSlot: async () => SLOT,
    highestBlockHeight: async () => SLOT,
    expiryHeight: async () => SLOT + BLOCKHASH_BLOCKS,
    finalized: unavailable,
    simulate: unavailable,
    broadcast: unavailable,
    statuses: async (signatures) => new Map(signatures.map((signature) => [signature, FINAL])),
    finality: async (signatures) => new Map(signatures.map((signature) => [signature, FINAL])),
    transaction: async (signature) => {
      if (!landed.has(signature)) await (reading ??= readAhead().finally(() => (reading = undefined)))
      return landed.get(signature)
    },
    landedSlots: async () => ({ slots: [SLOT], silent: 0 }),
    recentSignatures: async () => [],
  }
}

interface StubPayment {
  buyer: string
  seller: string
  price: bigint
  reference: string
  signature: Signature
}

function payment({ buyer, seller, price, reference, signature }: StubPayment): LandedTransaction {
  const transfer = { from: buyer, to: seller, lamports: price }
  return {
    signature,
    slot: SLOT,
    failed: false,
    bytes: BYTES,
    signers: [buyer],
    instructions: [{ program: '11111111111111111111111111111111', accounts: [buyer, seller, reference], transfer }],
    innerInstructions: [],
  }
}
