import { readFile } from 'node:fs/promises'

import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { generateKeyPairSigner } from '@solana/kit'
import { expect } from 'vitest'

import { earlierReference } from '../purchases/purchase/references-0.2.0.ts'
import { callRpc, sendByWallet, type TradingWorld, type Wallet } from '../purchases/trading-world.ts'
import { type SignedPayment, signTransaction, transfer } from '../purchases/transactions.ts'
import { sharedChain } from '../support/test-chain.ts'

const SOL = 1_000_000_000n
/** When the references of its purchases began to carry a code, long before anything is traded. */
export const FIRST_CODES = '2026-01-02T03:04:05Z'

interface OldHold {
  id: string
  seller: Wallet
  buyer: Wallet
  lamports: bigint
  reference: WalletAddress
}

interface Asked {
  listing: string
  amount?: number
  seller: Wallet
  buyer: Wallet
}

interface HoldOptions {
  /** Its payments are sent by servers only. */
  serverSends?: boolean
  /** How many seconds are left to pay; negative if the payment window has closed. */
  seconds?: number
  /** The link that it is placed through. */
  link?: string
}

/** A market on the schema of 0.2.0, in which things happen as that version made them happen: with its SQL functions and its statements. */
export async function createMarketOf020(world: TradingWorld) {
  const { pool } = world.connection
  await pool.query(await readFile(new URL('0.2.0.sql', import.meta.url), 'utf8'))
  await pool.query(`update migrations set applied_at = $1 where name = '0022-recovery.sql'`, [FIRST_CODES])
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

  const list = async ({ address }: Wallet, { divisible = false } = {}): Promise<string> => {
    price += 1_000_000n
    const { id } = await one<{ id: string }>(
      `insert into listings (seller, token_type, amount, price_lamports, divisible) values ($1, 'APPLE_JUICE', 10, $2, $3) returning id`,
      [address, price, divisible],
    )
    await pool.query(`select post_transfer('escrow', 'APPLE_JUICE', 10, $1, $2)`, [address, id])
    return id
  }

  const hold = async ({ listing, amount, seller, buyer }: Asked, { serverSends = false, seconds = 60, link }: HoldOptions = {}) => {
    const reference = earlierReference(world.referenceSecret, 'purchase')
    const slot = await callRpc(world.rpcUrl, 'getSlot', [{ commitment: 'processed' }])
    const values = [
      buyer.address,
      [listing],
      [amount ?? null],
      !serverSends,
      reference,
      genesisHash,
      slot,
      seconds,
      ...(link ? [link] : []),
    ]
    const { refusal, id, lamports } = await one<{ refusal: string | null; id: string; lamports: bigint }>(
      `select r.refusal, (r.purchase).id, (r.purchase).price_lamports as lamports
      from ${link ? 'place_link_hold' : 'place_hold'}($1, $2, $3, null, true, $4, 5, 20, 10, 0, null, $5, $6, $7, 1000000000000, 5000, $8, 0,
        '{}', '{}'${link ? ', $9' : ''}) r`,
      values,
    )
    expect(refusal).toBeNull()
    return { id, seller, buyer, lamports: BigInt(lamports), reference }
  }

  const endHold = async ({ id }: OldHold): Promise<void> => {
    await pool.query(`select end_hold(p, 'lapsed', null) from purchases p where id = $1`, [id])
  }

  const sign = ({ buyer, seller, lamports, reference }: OldHold): Promise<SignedPayment> =>
    signTransaction(world, buyer, [transfer(buyer, seller.address, lamports, [reference])])

  const settle = async (held: OldHold): Promise<void> => {
    const payment = await sign(held)
    await sendByWallet(world, payment)
    const { slot = 0n } = (await world.chain.statuses([payment.signature])).get(payment.signature) ?? {}
    const { outcome } = await one<{ outcome: string }>('select outcome from settle_purchase($1, $2, $3, $4, 0, true)', [
      held.id,
      payment.signature,
      slot,
      payment.bytes,
    ])
    expect(outcome).toBe('settled')
  }

  /** The payment of a hold that has ended, whose listing somebody else has bought since. */
  const payLate = async (held: OldHold): Promise<void> => {
    const payment = await sign(held)
    await sendByWallet(world, payment)
    const { lastValidBlockHeight } = await world.chain.latestBlockhash()
    await pool.query(
      `insert into payments (signature, kind, purchase_id, genesis_hash, transaction_bytes, expiry_height, status)
      values ($1, 'purchase', $2, $3, $4, $5, 'void')`,
      [payment.signature, held.id, genesisHash, payment.bytes, lastValidBlockHeight],
    )
    await pool.query(
      `insert into cases (purchase_id, kind, signature, lamports, deliverable, seller) values ($1, 'late', $2, $3, false, $4)`,
      [held.id, payment.signature, held.lamports, held.seller.address],
    )
  }

  const makePayLink = async (listing: string): Promise<string> => {
    const [hash, maker] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const made = await one<{ refusal: string | null; id: string }>(
      'select refusal, id from make_pay_link($1, $2, $3, null, 0, null, 600, 5, 5)',
      [listing, hash, maker],
    )
    expect(made.refusal).toBeNull()
    return made.id
  }

  return { createWallet, list, hold, endHold, sign, settle, payLate, makePayLink }
}

function asWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Error(`${text} is not a wallet address`)
  return wallet
}
