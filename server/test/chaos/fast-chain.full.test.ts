import { randomBytes } from 'node:crypto'

import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferSolInstructionDataEncoder, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { base58 } from '@scure/base'
import { beforeAll, expect, it } from 'vitest'

import { Ledger } from '../../chaos/fast-chain/ledger.ts'
import { answerCall } from '../../chaos/fast-chain/rpc.ts'
import { type ChainClient, createChainClient } from '../../chaos/players/chain-client.ts'
import { createWallet, type Wallet } from '../../chaos/players/wallet.ts'
import { happens, type Path, pickWeighted, wholeBetween } from '../../chaos/seeded-random.ts'
import { requireWallet } from '@juicebar/contract/addresses'
import { sharedChain, type TestChain } from '../support/test-chain.ts'

/**
 * The chain of `npm run chaos -- --chain fast` against the real runtime: the same random transactions, most of them near a limit, have the
 * same end on both, and cost everybody the same.
 */

const SEED = Number(process.env['PROPERTY_SEED'] ?? Date.now())
const TRANSACTIONS = 500
const WALLETS = 8
const RENT = 890_880
const FEE = 5_000
/** What wallets begin with: nothing, too little for a fee or for rent, just enough, and plenty. */
const BEGIN_WITH = [0, 4_999, RENT - 1, RENT + FEE, RENT + 2 * FEE, 3 * RENT, 50_000_000, 1_000_000_000]

interface Step {
  payer: Wallet
  transfers: { from: Wallet; to: Wallet; lamports: number; fromRole: AccountRole; toRole: AccountRole }[]
  version: 0 | 'legacy'
  hasUnknownBlockhash: boolean
}

interface End {
  err: unknown
  balances: number[]
}

let real: TestChain
const wallets: Wallet[] = []

beforeAll(async () => {
  real = await sharedChain()
  for (let n = 0; n < WALLETS; n++) wallets.push(await createWallet(SEED, `wallet ${n}`))
})

it(`${TRANSACTIONS} random transactions end as on the real runtime`, { timeout: 300_000 }, async () => {
  const ledger = new Ledger(100_000)
  const chains = [createChainClient(real.rpcUrl), clientOf(ledger)] as const
  for (const [n, lamports] of BEGIN_WITH.entries()) {
    if (lamports > 0) real.fund([requireWallet(walletAt(n).address)], BigInt(lamports))
    ledger.airdrop(walletAt(n).address, BigInt(lamports))
  }
  const ends = new Set<string>()
  let balances = BEGIN_WITH
  for (let n = 0; n < TRANSACTIONS; n++) {
    const step = pickStep(['step', n], balances)
    const [expected, found] = await Promise.all([carryOut(chains[0], step), carryOut(chains[1], step)])
    expect(found, `seed ${SEED}, transaction ${n}: ${describeStep(step)}`).toEqual(expected)
    balances = expected.balances
    ends.add(JSON.stringify(expected.err))
    // Another blockhash on both: the same transfer may come twice in a row, and is another transaction then.
    ledger.nextSlot()
    await real.mine(1)
  }
  // Else they would have tried too little.
  expect([...ends]).toEqual(
    expect.arrayContaining(['null', '"AccountNotFound"', '"BlockhashNotFound"', expect.stringContaining('InsufficientFundsForRent')]),
  )
  expect(ends.size).toBeGreaterThan(8)
})

function pickStep(path: Path, balances: readonly number[]): Step {
  const at = (name: string): Path => [...path, name]
  const payer = walletAt(wholeBetween(SEED, at('payer'), 0, WALLETS - 1))
  const count = wholeBetween(SEED, at('count'), 1, 4)
  const transfers = Array.from({ length: count }, (_, n) => {
    const of = (name: string): Path => [...path, n, name]
    const from = happens(SEED, of('other'), 0.2) ? walletAt(wholeBetween(SEED, of('from'), 0, WALLETS - 1)) : payer
    const to = walletAt(wholeBetween(SEED, of('to'), 0, WALLETS - 1))
    const lamports = pickLamports(of('lamports'), balances[wallets.indexOf(from)] ?? 0)
    const fromRole = happens(SEED, of('unsigned'), 0.05) && from !== payer ? AccountRole.WRITABLE : AccountRole.WRITABLE_SIGNER
    const toRole = happens(SEED, of('readonly'), 0.05) ? AccountRole.READONLY : AccountRole.WRITABLE
    return { from, to, lamports, fromRole, toRole }
  })
  const version = happens(SEED, at('legacy'), 0.5) ? 'legacy' : 0
  return { payer, transfers, version, hasUnknownBlockhash: happens(SEED, at('unknown'), 0.03) }
}

function pickLamports(path: Path, balance: number): number {
  const amounts = { some: 0.4, none: 0.05, rent: 0.1, all: 0.15, allButRent: 0.1, tooMuch: 0.1, little: 0.1 }
  const around = wholeBetween(SEED, [...path, 'around'], -1, 1)
  const fees = FEE * wholeBetween(SEED, [...path, 'fees'], 0, 2)
  const amount = {
    some: Math.floor((balance * wholeBetween(SEED, [...path, 'share'], 1, 60)) / 100),
    none: 0,
    rent: RENT + around,
    all: balance - fees + around,
    allButRent: balance - fees - RENT + around,
    tooMuch: balance + wholeBetween(SEED, [...path, 'more'], 1, 1_000_000),
    little: wholeBetween(SEED, [...path, 'few'], 1, 100),
  }
  return Math.max(0, amount[pickWeighted<keyof typeof amounts>(SEED, [...path, 'kind'], amounts) ?? 'some'])
}

async function carryOut(chain: ChainClient, step: Step): Promise<End> {
  const base64 = await sign(chain, step)
  const { value } = await chain.call<{ value: { err: unknown } }>('simulateTransaction', [
    base64,
    { encoding: 'base64', sigVerify: false, commitment: 'processed' },
  ])
  await chain.call('sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }]).catch(() => undefined)
  return { err: value.err, balances: await balancesOn(chain) }
}

async function sign(chain: ChainClient, { payer, transfers, version, hasUnknownBlockhash }: Step) {
  const { value } = await chain.call<{ value: { blockhash: string; lastValidBlockHeight: number } }>('getLatestBlockhash', [
    { commitment: 'confirmed' },
  ])
  const recent = hasUnknownBlockhash ? base58.encode(randomBytes(32)) : value.blockhash
  const instructions = transfers.map(({ from, to, lamports, fromRole, toRole }) => ({
    programAddress: SYSTEM_PROGRAM_ADDRESS as Address,
    accounts: [
      { address: address(from.address), role: fromRole },
      { address: address(to.address), role: toRole },
    ],
    data: getTransferSolInstructionDataEncoder().encode({ amount: lamports }),
  }))
  const message = pipe(
    createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayer(address(payer.address), draft),
    (draft) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash(recent), lastValidBlockHeight: BigInt(value.lastValidBlockHeight) },
        draft,
      ),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  const compiled = compileTransaction(message)
  const signers = wallets.filter((wallet) => wallet.address in compiled.signatures)
  const signed = await partiallySignTransaction(
    signers.map(({ signer }) => signer.keyPair),
    compiled,
  )
  return getBase64EncodedWireTransaction(signed)
}

async function balancesOn(chain: ChainClient): Promise<number[]> {
  const config = { commitment: 'processed', encoding: 'base64' }
  const { value } = await chain.call<{ value: ({ lamports: number } | null)[] }>('getMultipleAccounts', [
    wallets.map((wallet) => wallet.address),
    config,
  ])
  return value.map((account) => account?.lamports ?? 0)
}

function clientOf(ledger: Ledger): ChainClient {
  return { call: async <Result>(method: string, params: readonly unknown[] = []) => answerCall(ledger, method, params) as Result }
}

function walletAt(n: number): Wallet {
  const found = wallets[n]
  if (!found) throw new Error(`there is no wallet ${n}`)
  return found
}

function describeStep({ payer, transfers, version }: Step): string {
  const moves = transfers.map(({ from, to, lamports, fromRole, toRole }) => {
    return `${wallets.indexOf(from)} to ${wallets.indexOf(to)} ${lamports} (${fromRole}, ${toRole})`
  })
  return `version ${version}, ${wallets.indexOf(payer)} pays, ${moves.join('; ')}`
}
