import { base64 } from '@scure/base'
import { Failure } from '@juicebar/contract/errors'
import {
  AccountRole,
  assertIsInstructionForProgram,
  assertIsInstructionWithAccounts,
  assertIsInstructionWithData,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit'
import { getTransferSolInstructionDataDecoder, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

import { makePayLink } from '../../../src/purchases/pay-link/make-pay-link.ts'
import { preparePayment } from '../../../src/purchases/pay-link/prepare-payment.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase-deps.ts'
import {
  chainBut,
  expectAllAddsUp,
  list,
  openTradingWorld,
  sendByWallet,
  type TradingWorld,
  untilStatus,
  type Wallet,
} from '../trading-world.ts'
import { signTransaction, transfer } from '../transactions.ts'
import { SolanaPayWallet } from './solana-pay-wallet.ts'

let world: TradingWorld
let deps: PurchaseDeps
let studio: Wallet
let seller: Wallet
let buyer: Wallet

beforeAll(async () => {
  world = await openTradingWorld()
  studio = await world.createWallet()
  // 2.5 %.
  deps = { ...world.deps, settings: { ...world.deps.settings, fee: { basisPoints: 250, wallet: studio.address } } }
})

beforeEach(async () => {
  seller = await world.createWallet({ sol: 0n })
  buyer = await world.createWallet()
})

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** Returns the secret name of a new link. */
async function makeLink(from: PurchaseDeps, price: bigint): Promise<string> {
  const listingId = await list(world, seller, { amount: 10, price })
  const { url } = await makePayLink(from, 'https://market.example', listingId, { network: randomBytes(32), wallet: undefined })
  return decodeURIComponent(url).split('/').at(-1) ?? ''
}

async function purchaseOf({ address }: Wallet) {
  return world.database.selectFrom('purchases').selectAll().where('buyer', '=', address).executeTakeFirst()
}

it('pays the seller and the studio exactly what they are due, each transfer with the reference, and says so', async () => {
  const { transaction, message } = await preparePayment(deps, await makeLink(deps, 420_000_000n), buyer.address)
  expect(message).toBe('10 Apple Juice for 0.4305 SOL, of which 0.0105 SOL are the studio’s fee')

  const { signatures, messageBytes } = getTransactionDecoder().decode(base64.decode(transaction))
  expect(signatures).toEqual({ [buyer.address]: null })
  const { version, feePayer, instructions } = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes))
  expect([version, feePayer.address]).toEqual(['legacy', buyer.address])
  const transfers = [...instructions].map((instruction: Instruction) => {
    assertIsInstructionForProgram(instruction, SYSTEM_PROGRAM_ADDRESS)
    assertIsInstructionWithAccounts(instruction)
    assertIsInstructionWithData(instruction)
    const [from, to, ...carried] = instruction.accounts
    const { amount } = getTransferSolInstructionDataDecoder().decode(instruction.data)
    return { from: from?.address, to: to?.address, lamports: amount, carried: carried.map(({ address, role }) => ({ address, role })) }
  })
  const purchase = await purchaseOf(buyer)
  const both = {
    from: buyer.address,
    carried: [{ address: purchase?.reference, role: AccountRole.READONLY }],
  }
  expect(transfers).toEqual([
    { ...both, to: seller.address, lamports: 420_000_000n },
    { ...both, to: studio.address, lamports: 10_500_000n },
  ])

  const before = await world.chain.balance(studio.address, { fresh: true })
  await sendByWallet(world, await new SolanaPayWallet(buyer, 'http://unused.example').sign(world.chain, transaction))
  await untilStatus(world, purchase?.id ?? '', 'settled')
  expect((await world.chain.balance(studio.address, { fresh: true })) - before).toBe(10_500_000n)
})

it('without a fee has one transfer, and names none', async () => {
  const { transaction, message } = await preparePayment(world.deps, await makeLink(world.deps, 420_000_000n), buyer.address)
  expect(message).toBe('10 Apple Juice for 0.42 SOL')
  const { messageBytes } = getTransactionDecoder().decode(base64.decode(transaction))
  expect(decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes)).instructions).toHaveLength(1)
})

it('is prepared again for the same account, but not once the chain shows a payment', async () => {
  const token = await makeLink(world.deps, world.nextPrice())
  const [, second] = [await preparePayment(world.deps, token, buyer.address), await preparePayment(world.deps, token, buyer.address)]
  const purchase = await purchaseOf(buyer)
  // More than the buyer has, so the payment fails, which is none.
  await sendByWallet(world, await signTransaction(world, buyer, [transfer(buyer, seller.address, 10n ** 12n, [purchase?.reference ?? ''])]))
  await expect(preparePayment(world.deps, token, buyer.address)).resolves.toBeDefined()
  await sendByWallet(world, await new SolanaPayWallet(buyer, 'http://unused.example').sign(world.chain, second.transaction))
  await expect(preparePayment(world.deps, token, buyer.address)).rejects.toMatchObject({ code: 'PAYMENT_UNDER_WAY' })
  await untilStatus(world, purchase?.id ?? '', 'settled')
  await expect(preparePayment(world.deps, token, buyer.address)).rejects.toMatchObject({ code: 'PAY_LINK_PAID' })
})

it('asks the chain for a payment only where there may be one', async () => {
  const token = await makeLink(world.deps, world.nextPrice())
  const away = chainBut(world, { recentSignatures: async () => Promise.reject(new Failure('CHAIN_DOWN')) })
  await expect(preparePayment(away, token, buyer.address)).resolves.toBeDefined()
  await expect(preparePayment(away, token, buyer.address)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
})

it('holds nothing while the chain tells no blockhash', async () => {
  const token = await makeLink(world.deps, world.nextPrice())
  const away = chainBut(world, { latestBlockhash: async () => Promise.reject(new Failure('CHAIN_DOWN')) })
  await expect(preparePayment(away, token, buyer.address)).rejects.toMatchObject({ code: 'CHAIN_DOWN' })
  expect(await purchaseOf(buyer)).toBeUndefined()
  await expect(preparePayment(world.deps, token, buyer.address)).resolves.toBeDefined()
})
