import {
  address,
  type Commitment,
  createSolanaRpc,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Signature,
  signature as asSignature,
} from '@solana/kit'

import { type Purchase, Refusal } from './market.js'

const SYSTEM_PROGRAM = '11111111111111111111111111111111'
const TRANSFER = 2
const COMMITMENT = 'confirmed' satisfies Commitment

/** A payment that the chain has accepted. */
export interface Landed {
  signature: Signature
  slot: bigint
  bytes: Uint8Array<ArrayBuffer>
}

export interface PeerChain {
  balance(wallet: string): Promise<bigint>
  /** The payment for a purchase with this signature. @throws Refusal if it is none, or has not landed yet */
  payment(text: unknown, purchase: Purchase): Promise<Landed>
}

export function openChain(rpcUrl: string): PeerChain {
  const rpc = createSolanaRpc(rpcUrl)
  return {
    balance: async (wallet) => (await rpc.getBalance(address(wallet), { commitment: 'processed' }).send()).value,
    payment: async (text, purchase) => {
      const signature = asSignature(String(text))
      const config = { commitment: COMMITMENT, encoding: 'base64', maxSupportedTransactionVersion: 0 } as const
      const landed = await rpc.getTransaction(signature, config).send()
      if (!landed) throw new Refusal(202, 'NOT_CONFIRMED')
      if (landed.meta?.err) throw new Refusal(422, 'PAYMENT_MISMATCH')
      const bytes = new Uint8Array(getBase64Encoder().encode(landed.transaction[0]))
      requirePayment(bytes, purchase)
      return { signature, slot: landed.slot, bytes }
    },
  }
}

/** @throws Refusal unless the buyer signed, and each seller gets exactly what was agreed, in one transfer that carries the reference */
function requirePayment(bytes: Uint8Array, { buyer, items, reference }: Purchase): void {
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(bytes).messageBytes)
  if (!('instructions' in message)) throw new Refusal(422, 'PAYMENT_MISMATCH')
  const { staticAccounts: accounts, header, instructions } = message
  const transfers = instructions.flatMap(({ programAddressIndex, accountIndices = [], data }) => {
    if (accounts[programAddressIndex] !== SYSTEM_PROGRAM || data?.length !== 12) return []
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    const [from, to, ...others] = accountIndices.map((index) => accounts[index])
    return view.getUint32(0, true) === TRANSFER ? [{ from, to, others, lamports: view.getBigUint64(4, true) }] : []
  })
  const signed = accounts.slice(0, header.numSignerAccounts).some((signer) => signer === buyer)
  const isAgreed = items.every(({ seller, lamports }) => {
    const [transfer, ...more] = transfers.filter(({ to }) => to === seller)
    const carries = transfer?.others.some((other) => other === reference)
    return more.length === 0 && transfer?.from === buyer && transfer.lamports === lamports && carries
  })
  if (!signed || !isAgreed || transfers.length !== items.length) throw new Refusal(422, 'PAYMENT_MISMATCH')
}
