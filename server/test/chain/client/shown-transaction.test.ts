import { parseSignature } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { describe, expect, test } from 'vitest'
import { type LandedTransaction } from '../../../src/chain/chain.ts'
import { useChainClients } from '../chain-clients.ts'
import { type Answer, result } from '../rpc/front-server.ts'
import { messageBytes, newKey, signedBytes, toBase64, transferData } from '../transactions/hand-made.ts'
import { someBlockhash } from '../transactions/transactions.ts'

const clients = useChainClients()

const payer = newKey()
const [seller, accomplice] = [newKey().address, newKey().address]

/** Pays whoever is first in a lookup table. */
const bytes = signedBytes(
  messageBytes({
    version: 0,
    header: [1, 0, 1],
    accounts: [payer.address, SYSTEM_PROGRAM_ADDRESS],
    blockhash: someBlockhash,
    instructions: [{ program: 1, accounts: [0, 2], data: transferData(5n) }],
    lookups: [{ table: newKey().address, writable: [0], readonly: [] }],
  }),
  [payer],
)
/** Pays the seller, whose address is in it. */
const plainBytes = signedBytes(
  messageBytes({
    version: 0,
    header: [1, 0, 1],
    accounts: [payer.address, seller, SYSTEM_PROGRAM_ADDRESS],
    blockhash: someBlockhash,
    instructions: [{ program: 2, accounts: [0, 1], data: transferData(5n) }],
  }),
  [payer],
)

interface Shown {
  of?: Uint8Array
  /** What the lookup table holds. */
  looksUp?: string[]
  /** Lamports that a program moves to the seller. */
  inner?: bigint
  failed?: boolean
}

const shows = ({ of = plainBytes, looksUp = [], inner, failed = false }: Shown): Answer =>
  result({
    slot: 42,
    blockTime: null,
    transaction: [toBase64(of), 'base64'],
    meta: {
      err: failed ? 'AccountNotFound' : null,
      loadedAddresses: { writable: looksUp, readonly: [] },
      innerInstructions:
        inner === undefined
          ? []
          : [
              {
                index: 0,
                instructions: [{ programIdIndex: 2, accounts: [0, 1], data: base58.encode(transferData(inner)), stackHeight: 2 }],
              },
            ],
    },
  })
const nothing = result(null)
const error: Answer = ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Internal error' } })

/** What a client of several endpoints makes of what each answers. */
async function read(of: Uint8Array, answers: readonly Answer[]) {
  const fronts = await Promise.all(answers.map(() => clients.front()))
  const chain = await clients.start(fronts.map(({ url }) => url))
  fronts.forEach((front, index) => front.override({ getTransaction: answers[index]! }))
  return chain.transaction(parseSignature(base58.encode(of.slice(1, 65)))!)
}

describe.concurrent('what no signature of a transaction covers', () => {
  const lookedUp = shows({ of: bytes, looksUp: [seller] })

  test.each<[string, Uint8Array, Answer[], LandedTransaction['doubt']]>([
    ['whom a lookup table names', bytes, [lookedUp, nothing], 'alone'],
    ['whom a lookup table names, while another cannot tell', bytes, [lookedUp, error], 'alone'],
    ['whom a lookup table names, against another', bytes, [lookedUp, shows({ of: bytes, looksUp: [accomplice] })], 'disputed'],
    ['that it failed', plainBytes, [shows({ failed: true }), nothing], 'alone'],
    ['that it failed, while another cannot tell', plainBytes, [shows({ failed: true }), error], 'alone'],
    ['that it failed, against another', bytes, [shows({ of: bytes, looksUp: [seller], failed: true }), lookedUp], 'disputed'],
    ['that a program moved SOL', plainBytes, [shows({ inner: 9n }), nothing], 'alone'],
  ])('is in doubt if one endpoint of two says so: %s', async (_, of, answers, doubt) => {
    for (const inOrder of [answers, answers.toReversed()]) expect(await read(of, inOrder)).toMatchObject({ doubt })
  })

  test.each<[string, Shown]>([
    ['that it failed', { failed: true }],
    ['that a program moved SOL', { inner: 9n }],
  ])('does not count against one that shows a plain transaction: %s', async (_, lie) => {
    const landed = await read(plainBytes, [shows(lie), shows({})])
    expect(landed).toMatchObject({ failed: false, innerInstructions: [], instructions: [{ transfer: { to: seller, lamports: 5n } }] })
    expect(landed).not.toHaveProperty('doubt')
  })

  test('is believed of two that show the same, and of one that is alone', async () => {
    const expected = { failed: false, instructions: [{ transfer: { to: seller, lamports: 5n } }] }
    expect(await read(bytes, [lookedUp, shows({ of: bytes, looksUp: [accomplice] }), lookedUp])).toMatchObject(expected)
    const failed = await read(plainBytes, [shows({ failed: true }), shows({ failed: true })])
    expect(failed).toMatchObject({ failed: true })
    const alone = await read(bytes, [lookedUp])
    expect(alone).toMatchObject(expected)
    for (const landed of [failed, alone]) expect(landed).not.toHaveProperty('doubt')
  })
})
