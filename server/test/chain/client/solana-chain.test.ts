import { lamports } from '@juicebar/contract/money'
import { signBytes } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type FinalizedView } from '../../../src/chain/chain.ts'
import { buildPayment, decodeSignedTransaction } from '../../../src/chain/transactions/signed-transaction.ts'
import { type SolanaChain } from '../../../src/chain/client/solana-chain.ts'
import { airdrop, FIRST_SLOT } from '../../support/test-chain.ts'
import { pay, signPayment, SOL, useChainClients, waiting } from '../chain-clients.ts'
import { result } from '../rpc/front-server.ts'
import { newWallet, payment, sign, type Wallet } from '../transactions/transactions.ts'

const clients = useChainClients()

let chain: SolanaChain
let buyer: Wallet
let seller: Wallet

beforeAll(async () => {
  chain = await clients.start()
  ;[buyer, seller] = await Promise.all([clients.fundedWallet(5n * SOL), newWallet()])
})

/** The whole of what a view lists of an address. */
async function listed(view: FinalizedView, address: string, sinceSlot: bigint) {
  const part = await view.history(address, { sinceSlot, pages: 100 })
  return part.kind === 'part' && part.older === undefined ? part.entries : []
}

async function finalizedAt(slot: bigint) {
  await clients.surfnet.mine(32)
  const view = await chain.finalized()
  expect(view.slot).toBeGreaterThanOrEqual(slot)
  return view
}

describe('a chain', () => {
  test('reports its genesis hash, that it is up, its slots and its block heights', async () => {
    expect(await chain.genesisHash()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
    expect(chain.isUp()).toBe(true)
    expect(await chain.rentExemptMinimum()).toBe(890_880n)
    const [slot, height] = [await chain.highestSlot(), await chain.highestBlockHeight()]
    await vi.waitFor(async () => expect(await chain.highestSlot()).toBeGreaterThan(slot), waiting)
    expect(await chain.highestBlockHeight()).toBeGreaterThanOrEqual(height)
  })

  test('returns a balance, cached for two seconds unless a fresh one is requested', async () => {
    const wallet = await newWallet()
    expect(await chain.balance(wallet.address)).toBe(0n)
    await airdrop(clients.surfnet, wallet.address, SOL)
    expect(await chain.balance(wallet.address)).toBe(0n)
    expect(await chain.balance(wallet.address, { fresh: true })).toBe(SOL)
    expect(await chain.balance(wallet.address)).toBe(SOL)
  })

  test('returns a height that no transaction on a blockhash outlives', async () => {
    const { lastValidBlockHeight } = await chain.latestBlockhash()
    // What it is computed from is known before the slot, and the same for all three.
    await chain.expiryHeight(0n)
    const slot = await chain.highestSlot()
    const [least, expiry, later] = await Promise.all([0n, slot, slot + 100n].map((each) => chain.expiryHeight(each)))
    expect(expiry).toBeGreaterThanOrEqual(lastValidBlockHeight)
    expect(least).toBeLessThanOrEqual(expiry!)
    expect(later).toBe(expiry! + 100n)
  })
})

test('an airdrop, which nobody signs on Surfpool, is read on private chains alone', async () => {
  const wallet = await newWallet()
  await airdrop(clients.surfnet, wallet.address, SOL)
  const [received] = await listed(await finalizedAt(await chain.highestSlot()), wallet.address, FIRST_SLOT)
  const transfer = { to: wallet.address, lamports: SOL }
  expect(await chain.transaction(received!.signature)).toMatchObject({ failed: false, instructions: [{ transfer }] })
  // Not the name of this machine, although it is.
  const front = await clients.front()
  const url = front.url.replace('127.0.0.1', '0.0.0.0')
  const elsewhere = await clients.start([url], { network: 'mainnet' })
  expect(await elsewhere.transaction(received!.signature)).toMatchObject({ instructions: [{ transfer }] })
  front.override({ getGenesisHash: result('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d') })
  const cluster = await clients.start([url], { network: 'mainnet' })
  await expect(cluster.transaction(received!.signature)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
})

describe('a payment with a reference', () => {
  test.each(['legacy', 0, 1] as const)('of version %s is found by its reference and read whole', async (version) => {
    const paid = await pay(chain, buyer, { to: seller.address, version })
    const landed = await chain.transaction(paid.signature)
    expect(landed).toEqual({
      signature: paid.signature,
      slot: paid.slot,
      landedAt: expect.any(Date),
      failed: false,
      bytes: paid.bytes,
      signers: [buyer.address],
      instructions: [
        {
          program: SYSTEM_PROGRAM_ADDRESS,
          accounts: [buyer.address, seller.address, paid.reference],
          transfer: { from: buyer.address, to: seller.address, lamports: paid.lamports },
        },
      ],
      innerInstructions: [],
    })
    expect(paid.slot).toBeGreaterThanOrEqual(paid.sinceSlot)
  })

  test('goes from processed to finalized, and the finalized view then shows it', async () => {
    const paid = await pay(chain, buyer)
    const unknown = await signPayment(chain, buyer)
    const view = await finalizedAt(paid.slot)
    const statuses = await chain.statuses([unknown.signature, paid.signature])
    expect(statuses).toEqual(new Map([[paid.signature, { slot: paid.slot, commitment: 'finalized', failed: false }]]))
    expect(view.genesisHash).toBe(await chain.genesisHash())
    expect(await listed(view, paid.reference, paid.sinceSlot)).toEqual([{ signature: paid.signature, slot: paid.slot, failed: false }])
    expect(await listed(view, paid.reference, paid.slot + 1n)).toEqual([])
    expect(await listed(view, (await newWallet()).address, FIRST_SLOT)).toEqual([])
    expect(await view.statusOf(paid.signature)).toMatchObject({ commitment: 'finalized' })
    expect(await view.statusOf(unknown.signature)).toBeUndefined()
  })

  test('of many is listed newest first, in the view and among the recent, from the slot on', async () => {
    const first = await pay(chain, buyer)
    await vi.waitFor(async () => expect(await chain.highestSlot()).toBeGreaterThan(first.slot), waiting)
    const second = await pay(chain, buyer)
    const view = await finalizedAt(second.slot)
    const newestFirst = [second.signature, first.signature]
    expect((await listed(view, buyer.address, first.slot)).map((entry) => entry.signature)).toEqual(newestFirst)
    expect((await chain.recentSignatures(buyer.address, first.slot, 10)).map((entry) => entry.signature)).toEqual(newestFirst)
    expect((await chain.recentSignatures(buyer.address, first.slot, 1)).map((entry) => entry.signature)).toEqual([second.signature])
  })

  test('can be broadcast repeatedly', async () => {
    const paid = await pay(chain, buyer)
    await expect(chain.broadcast(paid.bytes)).resolves.toBeUndefined()
    expect(await chain.simulate(paid.bytes)).toMatchObject({ kind: 'valid' })
  })
})

describe('a simulation', () => {
  const fails = (words: string) => ({ kind: 'fails', reason: expect.stringContaining(words) })

  test('passes what would succeed and sends nothing', async () => {
    const { bytes, reference } = await signPayment(chain, buyer)
    expect(await chain.simulate(bytes)).toMatchObject({ kind: 'valid' })
    expect(await chain.recentSignatures(reference, 0n, 1)).toEqual([])
  })

  test('says in words why a payment would fail', async () => {
    const tooMuch = await signPayment(chain, buyer, { lamports: 100n * SOL })
    expect(await chain.simulate(tooMuch.bytes)).toEqual(fails('not have enough SOL'))
    const penniless = await signPayment(chain, await newWallet(), { lamports: 5n })
    expect(await chain.simulate(penniless.bytes)).toEqual(fails('not have enough SOL'))
    const past = { blockhash: seller.address, lastValidBlockHeight: 1n }
    const stale = await sign(0, buyer.signer, [payment(buyer.signer, seller.address, 5n)], past)
    expect(await chain.simulate(Buffer.from(stale, 'base64'))).toEqual({ kind: 'expired' })
    const tampered = (await signPayment(chain, buyer)).bytes
    tampered[3] = (tampered[3] ?? 0) ^ 1
    expect(await chain.simulate(tampered)).toEqual(fails('signature'))
  })
})

test('a transfer that the server built passes the simulation once it is signed', async () => {
  const reference = (await newWallet()).address
  const built = buildPayment({
    version: 0,
    from: buyer.address,
    transfers: [{ to: seller.address, lamports: lamports(SOL / 10n) }],
    reference,
    ...(await chain.latestBlockhash()),
  })
  const bytes = Buffer.from(built, 'base64')
  bytes.set(await signBytes(buyer.signer.keyPair.privateKey, bytes.subarray(65)), 1)
  expect(decodeSignedTransaction(bytes.toString('base64'))).toMatchObject({ signaturesValid: true, signers: [buyer.address] })
  expect(await chain.simulate(bytes)).toMatchObject({ kind: 'valid' })
})
