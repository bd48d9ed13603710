import { createHash } from 'node:crypto'

import { base64 } from '@scure/base'
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  blockhash,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signBytes,
  signTransaction,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { base58 } from '@scure/base'

import { type ChainClient } from './chain-client.ts'

export interface Wallet {
  address: string
  signer: KeyPairSigner
}

export interface SignedTransaction {
  signature: string
  base64: string
}

export interface TransferOrder {
  to: string
  lamports: bigint
  /** Named by the transfer as an account that is only read. */
  reference?: string | undefined
}

/** The same wallet for the same seed and name. */
export async function createWallet(seed: number, name: string): Promise<Wallet> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(`${seed} ${name}`).digest())
  return { address: signer.address, signer }
}

/** Signs a text, in base58. */
export async function signText({ signer }: Wallet, text: string): Promise<string> {
  return base58.encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(text)))
}

/** Signs a transfer with the chain's newest blockhash. `legacy` makes it another transaction that does the same. */
export async function signTransfer(
  chain: ChainClient,
  { signer }: Wallet,
  order: TransferOrder,
  legacy = false,
): Promise<SignedTransaction> {
  const { value } = await chain.ask<{ value: { blockhash: string; lastValidBlockHeight: number } }>('getLatestBlockhash', [
    { commitment: 'confirmed' },
  ])
  const transfer = getTransferSolInstruction({ source: signer, destination: address(order.to), amount: order.lamports })
  const named = order.reference === undefined ? [] : [{ address: address(order.reference), role: AccountRole.READONLY } as const]
  const lifetime = { blockhash: blockhash(value.blockhash), lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
  const message = pipe(
    createTransactionMessage({ version: legacy ? 'legacy' : 0 }),
    (draft) => setTransactionMessageFeePayerSigner(signer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstruction({ ...transfer, accounts: [...transfer.accounts, ...named] }, draft),
  )
  const signed = await signTransactionMessageWithSigners(message)
  return { signature: getSignatureFromTransaction(signed), base64: getBase64EncodedWireTransaction(signed) }
}

/** Signs a transaction that somebody else has prepared, in base64. */
export async function signPrepared({ signer }: Wallet, prepared: string): Promise<SignedTransaction> {
  const transaction = getTransactionDecoder().decode(base64.decode(prepared))
  const signed = await signTransaction([signer.keyPair], {
    ...transaction,
    lifetimeConstraint: { blockhash: blockhash('1'.repeat(32)), lastValidBlockHeight: 0n },
  })
  return { signature: getSignatureFromTransaction(signed), base64: getBase64EncodedWireTransaction(signed) }
}
