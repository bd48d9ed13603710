import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { generateKeyPairSigner } from '@solana/kit'
import { expect } from 'vitest'

import { callRpc, sendByWallet, type TradingWorld, type Wallet } from '../purchases/trading-world.ts'
import { type SignedPayment, signTransaction, transfer } from '../purchases/transactions.ts'
import { applyMigrationsOf010 } from '../support/migrations-folder.ts'
import { sharedChain } from '../support/test-chain.ts'

const SOL = 1_000_000_000n

interface OldHold {
  id: string
  listing: string
  buyer: Wallet
  seller: Wallet
  lamports: bigint
  reference: WalletAddress
}

interface HoldOptions {
  /** Its payments are sent by servers only. */
  serverSends?: boolean
  /** How many seconds are left to pay; negative if the payment window has closed. */
  seconds?: number
}

/** A market on the schema of 0.1.0, in which things happen as that version made them happen: with its SQL functions and its statements. */
export async function createOldMarket(world: TradingWorld) {
  const { pool } = world.connection
  await applyMigrationsOf010(pool)
  const genesisHash = await world.chain.genesisHash()
  let price = 200_000_000n

  const one = async <Row>(text: string, values: unknown[]): Promise<Row> => (await pool.query(text, values)).rows[0] as Row

  const createWallet = async (): Promise<Wallet> => {
    const signer = await generateKeyPairSigner()
    const wallet = { address: asWallet(signer.address), signer }
    ;(await sharedChain()).fund([wallet.address], 10n * SOL)
    await pool.query('insert into players (wallet_address) values ($1)', [wallet.address])
    await pool.query(`select post_transfer('credit', 'APPLE_JUICE', 100, $1, null, $2)`, [wallet.address, `quest:${wallet.address}`])
    return wallet
  }

  const list = async ({ address }: Wallet): Promise<string> => {
    price += 1_000_000n
    const { id } = await one<{ id: string }>(
      `insert into listings (seller, token_type, amount, price_lamports) values ($1, 'APPLE_JUICE', 10, $2) returning id`,
      [address, price],
    )
    await pool.query(`select post_transfer('escrow', 'APPLE_JUICE', 10, $1, $2)`, [address, id])
    return id
  }

  const remove = async (listing: string): Promise<void> => {
    await pool.query(`update listings set status = 'removed', closed_at = now() where id = $1`, [listing])
    await pool.query(`select post_transfer('return', token_type, amount, seller, id) from listings where id = $1`, [listing])
  }

  const hold = async (seller: Wallet, buyer: Wallet, listing: string, { serverSends = false, seconds = 60 }: HoldOptions = {}) => {
    // In 0.1.0 a reference was the address of a key that was thrown away.
    const reference = asWallet((await generateKeyPairSigner()).address)
    const slot = await callRpc(world.rpcUrl, 'getSlot', [{ commitment: 'processed' }])
    const { id, lamports } = await one<{ id: string; lamports: bigint }>(
      `insert into purchases (listing_id, buyer, seller, token_type, amount, price_lamports, reference, genesis_hash, held_at_slot,
        server_sends, pay_before)
      select id, $2, seller, token_type, amount, price_lamports, $3, $4, $5, $6, now() + make_interval(secs => $7) from listings where id = $1
      returning id, price_lamports as lamports`,
      [listing, buyer.address, reference, genesisHash, slot, serverSends, seconds],
    )
    await pool.query(`update listings set held_by = $2, held_until = (select pay_before from purchases where id = $2) where id = $1`, [
      listing,
      id,
    ])
    return { id, listing, buyer, seller, lamports: BigInt(lamports), reference }
  }

  const endHold = async ({ id, listing }: OldHold, reason: 'lapsed' | 'cancelled'): Promise<void> => {
    await pool.query(`update purchases set status = 'ended', end_reason = $2, ended_at = now(), reconcile_at = null where id = $1`, [
      id,
      reason,
    ])
    await pool.query('update listings set held_by = null, held_until = null where id = $1', [listing])
  }

  const sign = ({ buyer, seller, lamports, reference }: OldHold): Promise<SignedPayment> =>
    signTransaction(world, buyer, [transfer(buyer, seller.address, lamports, [reference])])

  /** Before the bytes are sent. */
  const record = async ({ id }: OldHold, { signature, bytes }: SignedPayment, status: 'recorded' | 'void' = 'recorded'): Promise<void> => {
    const { lastValidBlockHeight } = await world.chain.latestBlockhash()
    await pool.query(
      `insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status)
      values ($1, 'purchase', $2, $3, $4, $5, $6)`,
      [signature, id, genesisHash, bytes, lastValidBlockHeight, status],
    )
  }

  const settle = async (held: OldHold, { final = false } = {}): Promise<void> => {
    const payment = await sign(held)
    await record(held, payment)
    await sendByWallet(world, payment)
    const { slot = 0n } = (await world.chain.statuses([payment.signature])).get(payment.signature) ?? {}
    const { outcome } = await one<{ outcome: string }>('select settle_purchase($1, $2, $3, $4, 0, true) as outcome', [
      held.id,
      payment.signature,
      slot,
      payment.bytes,
    ])
    expect(outcome).toBe('settled')
    if (final) await pool.query('update purchases set finalized_at = now(), reconcile_at = null where id = $1', [held.id])
  }

  /** The payment of a hold that has ended, whose listing somebody else has bought since. */
  const payLate = async (held: OldHold): Promise<void> => {
    const payment = await sign(held)
    await sendByWallet(world, payment)
    await record(held, payment, 'void')
    await pool.query(`insert into cases (purchase_id, kind, signature, lamports, deliverable) values ($1, 'late', $2, $3, false)`, [
      held.id,
      payment.signature,
      held.lamports,
    ])
  }

  return { createWallet, list, remove, hold, endHold, sign, record, settle, payLate }
}

function asWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Error(`${text} is not a wallet address`)
  return wallet
}
