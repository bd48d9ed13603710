import { beforeEach, describe, expect, it } from 'vitest'

import { Ledger } from '../../chaos/fast-chain/ledger.ts'
import { answerCall } from '../../chaos/fast-chain/rpc.ts'
import { type ChainClient } from '../../chaos/players/chain-client.ts'
import { createWallet, signAgain, signTransfers, type Wallet } from '../../chaos/players/wallet.ts'

/** The rules of a block, and how a transaction ends, are compared with the real runtime in `fast-chain.full.test.ts`. */

const SOL = 1_000_000_000n
const FEE = 5_000n

let ledger: Ledger
let chain: ChainClient
let buyer: Wallet
let seller: Wallet

beforeEach(async () => {
  ledger = new Ledger(100_000)
  chain = { call: async <Result>(method: string, params: readonly unknown[] = []) => answerCall(ledger, method, params) as Result }
  buyer = await createWallet(1, 'buyer')
  seller = await createWallet(1, 'seller')
  ledger.airdrop(buyer.address, 10n * SOL)
  slots(3)
})

function slots(count: number): void {
  for (let n = 0; n < count; n++) ledger.nextSlot()
}

function payment() {
  return signTransfers(chain, buyer, [{ to: seller.address, lamports: SOL }], undefined)
}

function send({ base64 }: { base64: string }): Promise<string> {
  return chain.call('sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }])
}

async function simulate({ base64 }: { base64: string }): Promise<unknown> {
  const config = { encoding: 'base64', sigVerify: true, commitment: 'processed' }
  return (await chain.call<{ value: { err: unknown } }>('simulateTransaction', [base64, config])).value.err
}

function sellerHas(commitment: 'processed' | 'confirmed' | 'finalized'): bigint {
  return ledger.balanceOf(seller.address, commitment)
}

describe('a blockhash', () => {
  it('lets a transaction land in the 151 blocks after its own, and then never', async () => {
    const signed = await payment()
    const { height } = ledger.view('confirmed')
    while (ledger.view('processed').height < height + 151) ledger.nextSlot()
    expect(await simulate(signed)).toBeNull()
    const next = ledger.view('processed').height + 1
    while (ledger.view('processed').height < next) ledger.nextSlot()
    expect(await simulate(signed)).toBe('BlockhashNotFound')
    await send(signed)
    expect(sellerHas('processed')).toBe(0n)
  })

  it('is unknown once its block is abandoned', async () => {
    slots(3)
    const signed = await payment()
    ledger.fork(3)
    expect(await simulate(signed)).toBe('BlockhashNotFound')
  })
})

describe('a transaction', () => {
  it('is seen at each commitment when enough blocks are above it', async () => {
    await send(await payment())
    expect([sellerHas('processed'), sellerHas('confirmed'), sellerHas('finalized')]).toEqual([SOL, 0n, 0n])
    const { height } = ledger.view('processed')
    while (ledger.view('processed').height < height + 1) ledger.nextSlot()
    expect([sellerHas('confirmed'), sellerHas('finalized')]).toEqual([SOL, 0n])
    while (ledger.view('processed').height < height + 31) ledger.nextSlot()
    expect(sellerHas('finalized')).toBe(SOL)
  })

  it('lands once, under whichever of its signatures comes first', async () => {
    const signed = await payment()
    const copy = signAgain(buyer, signed)
    await send(copy)
    expect(await simulate(signed)).toBe('AlreadyProcessed')
    await send(signed)
    expect(sellerHas('processed')).toBe(SOL)
    expect(ledger.landed(signed.signature, 'processed')).toBeUndefined()
    expect(ledger.landed(copy.signature, 'processed')).toBeDefined()
  })

  it('is told a signature and does not land if that is not valid', async () => {
    const signed = await payment()
    const bytes = Buffer.from(signed.base64, 'base64')
    bytes[1] = (bytes[1] ?? 0) ^ 1
    const forged = { base64: bytes.toString('base64') }
    await expect(simulate(forged)).rejects.toMatchObject({ code: -32003 })
    await send(forged)
    expect(sellerHas('processed')).toBe(0n)
  })

  it('costs its fee, and nothing else, if it fails', async () => {
    const tooMuch = await signTransfers(chain, buyer, [{ to: seller.address, lamports: 11n * SOL }], undefined)
    await send(tooMuch)
    expect(ledger.balanceOf(buyer.address, 'processed')).toBe(10n * SOL - FEE)
    expect(ledger.landed(tooMuch.signature, 'processed')).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] }, fee: FEE })
  })
})

describe('a fork that is abandoned', () => {
  it('takes with it what its transactions did, and they may land again', async () => {
    slots(5)
    const signed = await payment()
    await send(signed)
    slots(2)
    expect(ledger.fork(3)).toEqual([signed.signature])
    expect([sellerHas('processed'), ledger.balanceOf(buyer.address, 'processed')]).toEqual([0n, 10n * SOL])
    expect(ledger.landed(signed.signature, 'processed')).toBeUndefined()
    expect(ledger.history(seller.address, 'processed')).toEqual([])
    await send(signed)
    expect(sellerHas('processed')).toBe(SOL)
  })

  it('never reaches what is final', async () => {
    const signed = await payment()
    await send(signed)
    while (!ledger.landed(signed.signature, 'finalized')) ledger.nextSlot()
    const final = ledger.view('finalized')
    for (let forks = 0; forks < 3; forks++) expect(ledger.fork(1_000)).toEqual([])
    expect(ledger.view('finalized')).toEqual(final)
    expect(sellerHas('finalized')).toBe(SOL)
  })

  it('makes no slot twice', () => {
    slots(20)
    const before = ledger.view('processed')
    ledger.fork(10)
    expect(ledger.view('processed').slot).toBeGreaterThan(before.slot)
    expect(ledger.view('processed').height).toBe(before.height - 9)
  })
})

describe('the history of an address', () => {
  it('comes in pages, the newest first, and is refused by a node that is behind', async () => {
    const sent: string[] = []
    for (let n = 0; n < 3; n++) {
      const signed = await payment()
      await send(signed)
      sent.unshift(signed.signature)
      slots(3)
    }
    const page = (config: Record<string, unknown>) =>
      chain.call<{ signature: string }[]>('getSignaturesForAddress', [seller.address, { commitment: 'processed', ...config }])
    const signatures = async (config: Record<string, unknown>) => (await page(config)).map(({ signature }) => signature)
    expect(await signatures({})).toEqual(sent)
    expect(await signatures({ limit: 1 })).toEqual(sent.slice(0, 1))
    expect(await signatures({ before: sent[0] })).toEqual(sent.slice(1))
    expect(await signatures({ until: sent[2] })).toEqual(sent.slice(0, 2))
    expect(await signatures({ before: (await payment()).signature })).toEqual([])
    await expect(page({ minContextSlot: 900_000 })).rejects.toMatchObject({ code: -32016 })
  })
})
