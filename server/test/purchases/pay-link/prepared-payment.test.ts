import { randomBytes } from 'node:crypto'
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
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { makePayLink, preparePayment } from '../../../src/purchases/pay-link/make-pay-link.ts'
import { type PurchaseDeps } from '../../../src/purchases/purchase/purchase-deps.ts'
import { refusal, useTradingWorld, type Wallet } from '../trading-world.ts'
import { SolanaPayWallet } from './pay-link-world.ts'
import { signTransaction, transfer } from '../transactions.ts'

const world = useTradingWorld()
let studio: Wallet
let deps: PurchaseDeps

beforeAll(async () => {
  studio = await world.createWallet()
  // 2.5 %.
  deps = { ...world.deps, settings: { ...world.deps.settings, fee: { basisPoints: 250, wallet: studio.address } } }
})

/** Returns the secret name of a new link. */
async function makeLink(from: PurchaseDeps, price: bigint): Promise<string> {
  const listingId = await world.list(world.seller, { amount: 10, price })
  const { url } = await makePayLink(from, 'https://market.example', listingId, { network: randomBytes(32), wallet: undefined })
  return decodeURIComponent(url).split('/').at(-1) ?? ''
}

/** A wallet asks for the transaction of a link. */
const prepare = (token: string, on = world.deps) => preparePayment(on, token, world.buyer.address)
/** As the buyer's wallet signs and sends it. */
const send = async (transaction: string) =>
  world.sendByWallet(await new SolanaPayWallet(world.buyer, 'http://unused.example').sign(world.chain, transaction))

async function readHold() {
  return world.database.selectFrom('purchases').selectAll().where('buyer', '=', world.buyer.address).executeTakeFirst()
}

it('pays the seller and the studio exactly what they are due, each transfer with the reference, and says so', async () => {
  const { transaction, message } = await prepare(await makeLink(deps, 420_000_000n), deps)
  expect(message).toBe('10 Apple Juice for 0.4305 SOL, of which 0.0105 SOL are the studio’s fee')

  const { signatures, messageBytes } = getTransactionDecoder().decode(base64.decode(transaction))
  expect(signatures).toEqual({ [world.buyer.address]: null })
  const { version, feePayer, instructions } = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes))
  expect([version, feePayer.address]).toEqual(['legacy', world.buyer.address])
  const transfers = [...instructions].map((instruction: Instruction) => {
    assertIsInstructionForProgram(instruction, SYSTEM_PROGRAM_ADDRESS)
    assertIsInstructionWithAccounts(instruction)
    assertIsInstructionWithData(instruction)
    const [from, to, ...carried] = instruction.accounts
    const { amount } = getTransferSolInstructionDataDecoder().decode(instruction.data)
    return { from: from?.address, to: to?.address, lamports: amount, carried: carried.map(({ address, role }) => ({ address, role })) }
  })
  const purchase = await readHold()
  const both = {
    from: world.buyer.address,
    carried: [{ address: purchase?.reference, role: AccountRole.READONLY }],
  }
  expect(transfers).toEqual([
    { ...both, to: world.seller.address, lamports: 420_000_000n },
    { ...both, to: studio.address, lamports: 10_500_000n },
  ])

  const before = await world.chain.balance(studio.address, { fresh: true })
  await send(transaction)
  await world.untilStatus({ purchaseId: purchase!.id }, 'settled')
  expect((await world.chain.balance(studio.address, { fresh: true })) - before).toBe(10_500_000n)
})

it('without a fee has one transfer, and names none', async () => {
  const { transaction, message } = await prepare(await makeLink(world.deps, 420_000_000n))
  expect(message).toBe('10 Apple Juice for 0.42 SOL')
  const { messageBytes } = getTransactionDecoder().decode(base64.decode(transaction))
  expect(decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes)).instructions).toHaveLength(1)
})

it('is prepared again for the same account, but not once the chain shows a payment', async () => {
  const token = await makeLink(world.deps, world.nextPrice())
  const [, second] = [await prepare(token), await prepare(token)]
  const purchase = await readHold()
  // More than the buyer has, so the payment fails, which is none.
  await world.sendByWallet(
    await signTransaction(world, world.buyer, [transfer(world.buyer, world.seller.address, 10n ** 12n, [purchase?.reference ?? ''])]),
  )
  await expect(prepare(token)).resolves.toBeDefined()
  await send(second.transaction)
  await expect(prepare(token)).rejects.toEqual(refusal('PAYMENT_UNDER_WAY'))
  await world.untilStatus({ purchaseId: purchase!.id }, 'settled')
  await expect(prepare(token)).rejects.toEqual(refusal('PAY_LINK_PAID'))
})

it('asks the chain for a payment only where there may be one', async () => {
  const token = await makeLink(world.deps, world.nextPrice())
  const away = world.chainBut({ recentSignatures: async () => Promise.reject(new Failure('CHAIN_DOWN')) })
  await expect(prepare(token, away)).resolves.toBeDefined()
  await expect(prepare(token, away)).rejects.toEqual(refusal('CHAIN_DOWN'))
})

it('is refused if its link expires while it is prepared again, and does not ask the database over and over', async () => {
  const { url, id } = await makePayLink(world.deps, 'https://market.example', await world.list(), {
    network: randomBytes(32),
    wallet: undefined,
  })
  const token = decodeURIComponent(url).split('/').at(-1) ?? ''
  await prepare(token)
  const slow = world.chainBut({
    latestBlockhash: async () => {
      await world.database
        .updateTable('payLinks')
        .set({ expiresAt: sql<Date>`now()` })
        .where('id', '=', id)
        .execute()
      return world.chain.latestBlockhash()
    },
  })
  await expect(prepare(token, slow)).rejects.toEqual(refusal('PAY_LINK_EXPIRED'))
})

it('holds nothing while the chain tells no blockhash', async () => {
  const token = await makeLink(world.deps, world.nextPrice())
  const away = world.chainBut({ latestBlockhash: async () => Promise.reject(new Failure('CHAIN_DOWN')) })
  await expect(prepare(token, away)).rejects.toEqual(refusal('CHAIN_DOWN'))
  expect(await readHold()).toBeUndefined()
  await expect(prepare(token)).resolves.toBeDefined()
})
