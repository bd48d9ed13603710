import { type WalletAddress } from '@juicebar/contract/addresses'
import { beforeAll, describe, expect, test } from 'vitest'
import { type SolanaChain } from '../../../src/chain/client/solana-chain.ts'
import { signPayment, SOL, useChainClients } from '../chain-clients.ts'
import { type FrontServer, result } from '../rpc/front-server.ts'
import { newWallet, payment, sign, type Wallet } from '../transactions/transactions.ts'

const clients = useChainClients({ probeMillis: 60_000 })

let buyer: Wallet
beforeAll(async () => {
  buyer = await clients.fundedWallet()
})

/** A client of endpoints that each test has misbehave, and a payment on a fresh blockhash. */
async function behindFronts(count: number): Promise<{ chain: SolanaChain; fronts: FrontServer[]; bytes: Uint8Array }> {
  const fronts = await Promise.all(Array.from({ length: count }, () => clients.front()))
  const chain = await clients.start(fronts.map(({ url }) => url))
  const { bytes } = await signPayment(chain, buyer)
  for (const front of fronts) front.calls.length = 0
  return { chain, fronts, bytes }
}

async function stalePayment(): Promise<Uint8Array> {
  const { address: to } = await newWallet()
  const past = { blockhash: to, lastValidBlockHeight: 1n }
  return Buffer.from(await sign(0, buyer.signer, [payment(buyer.signer, to, 5n)], past), 'base64')
}

const failing = (err: unknown, slot = 1) => ({
  simulateTransaction: result({ context: { slot }, value: { err, accounts: null, logs: [] } }),
})
const knowsBlockhash = (value: boolean, slot: number) => ({ isBlockhashValid: result({ context: { slot }, value }) })
const ignorant = failing('BlockhashNotFound')
const down = { code: 'CHAIN_DOWN' }
const AHEAD = 1_000_000

describe('a blockhash', () => {
  test('that is too old, or of another chain, makes a payment expired', async () => {
    const { chain } = await behindFronts(1)
    expect(await chain.simulate(await stalePayment())).toEqual({ kind: 'expired' })
    expect(await chain.simulate(await stalePayment(), { awaitsCoSigner: buyer.address })).toEqual({ kind: 'expired' })
  })

  test('that one endpoint does not know yet is asked of another', async () => {
    const { chain, fronts, bytes } = await behindFronts(2)
    fronts[0]?.override(ignorant)
    expect(await chain.simulate(bytes)).toMatchObject({ kind: 'valid' })
  })

  test('that the only endpoint does not know, although the chain does, makes nothing expired', async () => {
    const { chain, fronts, bytes } = await behindFronts(1)
    fronts[0]?.override(ignorant)
    await expect(chain.simulate(bytes)).rejects.toMatchObject(down)
    await expect(chain.simulate(bytes, { awaitsCoSigner: buyer.address })).rejects.toMatchObject(down)
  })

  test('that no endpoint knows makes nothing expired while all of them are behind what one of them has said', async () => {
    const { chain, fronts } = await behindFronts(2)
    const bytes = await stalePayment()
    const slot = Number(await chain.highestSlot())
    for (const front of fronts) front.override({ ...ignorant, ...knowsBlockhash(false, slot - 1) })
    await expect(chain.simulate(bytes)).rejects.toMatchObject(down)
    fronts[1]?.override({ ...ignorant, ...knowsBlockhash(false, slot + AHEAD) })
    expect(await chain.simulate(bytes)).toEqual({ kind: 'expired' })
  })

  test('that one endpoint still knows makes nothing expired, whatever another says', async () => {
    const { chain, fronts, bytes } = await behindFronts(2)
    fronts[0]?.override({ ...ignorant, ...knowsBlockhash(false, AHEAD) })
    fronts[1]?.override(ignorant)
    await expect(chain.simulate(bytes)).rejects.toMatchObject(down)
  })

  test('is nothing that an endpoint that does not answer the question can call expired', async () => {
    const { chain, fronts } = await behindFronts(1)
    fronts[0]?.override({ ...ignorant, isBlockhashValid: result({ context: { slot: AHEAD }, value: null }) })
    await expect(chain.simulate(await stalePayment())).rejects.toMatchObject(down)
  })
})

describe('that a payment would fail', () => {
  const tooLittle = failing({ InstructionError: [0, { Custom: 1 }] })
  const simulations = (fronts: readonly FrontServer[]) =>
    fronts.map(({ calls }) => calls.filter((name) => name === 'simulateTransaction').length)

  test('is asked of a second endpoint before it is believed', async () => {
    const { chain, fronts, bytes } = await behindFronts(3)
    fronts[0]?.override(tooLittle)
    expect(await chain.simulate(bytes)).toMatchObject({ kind: 'valid' })
    for (const front of fronts) front.override(tooLittle)
    for (const front of fronts) front.calls.length = 0
    expect(await chain.simulate(bytes)).toMatchObject({ kind: 'fails', reason: expect.stringContaining('enough SOL') })
    expect(simulations(fronts).toSorted((a, b) => a - b)).toEqual([0, 1, 1])
  })

  test('is believed of the only endpoint, and of one beside another that is behind', async () => {
    const { chain, fronts, bytes } = await behindFronts(2)
    fronts[0]?.override(ignorant)
    fronts[1]?.override(tooLittle)
    expect(await chain.simulate(bytes)).toMatchObject({ kind: 'fails' })
    const alone = await behindFronts(1)
    alone.fronts[0]?.override(tooLittle)
    expect(await alone.chain.simulate(alone.bytes)).toMatchObject({ kind: 'fails' })
    expect(simulations(alone.fronts)).toEqual([1])
  })
})

describe('a payment that awaits its co-signer', () => {
  const FEE = 5_000n
  const balanceAfter = async (chain: SolanaChain, bytes: Uint8Array, of: WalletAddress) => {
    const simulation = await chain.simulate(bytes, { awaitsCoSigner: of })
    return simulation.kind === 'valid' ? simulation.balance : simulation
  }

  test('tells what its buyer has left', async () => {
    const { chain } = await behindFronts(1)
    const wallet = await clients.fundedWallet()
    const some = await signPayment(chain, wallet, { lamports: SOL / 4n })
    expect(await balanceAfter(chain, some.bytes, wallet.address)).toBe((SOL * 3n) / 4n - FEE)
    const all = await signPayment(chain, wallet, { lamports: SOL - FEE })
    expect(await balanceAfter(chain, all.bytes, wallet.address)).toBe(0n)
    expect(await chain.simulate(some.bytes)).not.toHaveProperty('balance')
  })

  test('has nothing left if the account is gone', async () => {
    const { chain, fronts, bytes } = await behindFronts(1)
    fronts[0]?.override({ simulateTransaction: result({ context: { slot: 1 }, value: { err: null, accounts: [null], logs: [] } }) })
    expect(await balanceAfter(chain, bytes, buyer.address)).toBe(0n)
  })

  test('is simulated without its signatures, on the newest state', async () => {
    const { chain, fronts, bytes } = await behindFronts(1)
    const asked: unknown[] = []
    fronts[0]?.override({ simulateTransaction: (call, response) => (asked.push(call.params[1]), clients.handOn(call, response)) })
    await chain.simulate(bytes, { awaitsCoSigner: buyer.address })
    await chain.simulate(bytes)
    expect(asked).toEqual([
      { encoding: 'base64', sigVerify: false, commitment: 'processed', accounts: { addresses: [buyer.address], encoding: 'base64' } },
      { encoding: 'base64', sigVerify: true, commitment: 'confirmed' },
    ])
  })

  test.each([
    ['no accounts', null],
    ['none of them', []],
    ['no number', [{ lamports: '5' }]],
  ])('is not believed to be valid by an endpoint that returns %s', async (_, accounts) => {
    const { chain, fronts, bytes } = await behindFronts(1)
    fronts[0]?.override({ simulateTransaction: result({ context: { slot: 1 }, value: { err: null, accounts, logs: [] } }) })
    await expect(chain.simulate(bytes, { awaitsCoSigner: buyer.address })).rejects.toMatchObject(down)
  })
})
