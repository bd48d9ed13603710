import { createHash } from 'node:crypto'

import { base64 } from '@scure/base'
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
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

export interface Transfer {
  to: string
  lamports: bigint
}

/** The wallet of a name: the same seed and name always give the same wallet. */
export async function createWallet(seed: number, name: string): Promise<Wallet> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(`${seed} ${name}`).digest())
  return { address: signer.address, signer }
}

/** @returns the text's signature in base58 */
export async function signText({ signer }: Wallet, text: string): Promise<string> {
  return base58.encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(text)))
}

/**
 * Signs transfers with the chain's latest blockhash. Another version makes it another transaction with the same transfers.
 * @param reference added to each transfer as a read-only account
 */
export async function signTransfers(
  chain: ChainClient,
  { signer }: Wallet,
  transfers: readonly Transfer[],
  reference: string | undefined,
  version: 0 | 'legacy' = 0,
): Promise<SignedTransaction> {
  const { value } = await chain.call<{ value: { blockhash: string; lastValidBlockHeight: number } }>('getLatestBlockhash', [
    { commitment: 'confirmed' },
  ])
  const references = reference === undefined ? [] : [{ address: address(reference), role: AccountRole.READONLY } as const]
  const instructions = transfers.map(({ to, lamports }) => {
    const instruction = getTransferSolInstruction({ source: signer, destination: address(to), amount: lamports })
    return { ...instruction, accounts: [...instruction.accounts, ...references] }
  })
  const lifetime = { blockhash: blockhash(value.blockhash), lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
  const message = pipe(
    createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayerSigner(signer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  const signed = await signTransactionMessageWithSigners(message)
  return { signature: getSignatureFromTransaction(signed), base64: getBase64EncodedWireTransaction(signed) }
}

/** Signs a transaction in base64 that somebody else built. */
export async function signPrepared({ signer }: Wallet, transactionBase64: string): Promise<SignedTransaction> {
  const transaction = getTransactionDecoder().decode(base64.decode(transactionBase64))
  const signed = await signTransaction([signer.keyPair], {
    ...transaction,
    lifetimeConstraint: { blockhash: blockhash('1'.repeat(32)), lastValidBlockHeight: 0n },
  })
  return { signature: getSignatureFromTransaction(signed), base64: getBase64EncodedWireTransaction(signed) }
}
