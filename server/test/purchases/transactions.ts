import { base64 } from '@scure/base'
import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash as asBlockhash,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

import { type Chain } from '../../src/chain/chain.ts'

/** Signs a transaction and pays its fee. */
export interface Payer {
  signer: KeyPairSigner
}

export interface SignedPayment {
  /** The transaction bytes, as wallets and RPC calls pass them. */
  base64: string
  bytes: Uint8Array
  signature: Signature
}

/** A System transfer that carries references. */
export function transfer(from: Payer, to: WalletAddress, amount: bigint, references: readonly string[] = []): Instruction {
  const instruction = getTransferSolInstruction({ source: from.signer, destination: address(to), amount })
  const carried = references.map((reference) => ({ address: address(reference), role: AccountRole.READONLY }))
  return { ...instruction, accounts: [...instruction.accounts, ...carried] }
}

export type TransactionVersion = 'legacy' | 0 | 1

/** What version 1 says of itself, and the others leave to the chain: without it, it may use nothing. */
const v1Config = { computeUnitLimit: 400_000, loadedAccountsDataSizeLimit: 1_000_000, priorityFeeLamports: 1_000n }

/** Signs a transaction with the latest blockhash. Equal instructions on one blockhash are one transaction in each version. */
export async function signTransaction(
  { chain }: { chain: Pick<Chain, 'latestBlockhash'> },
  payer: Payer,
  instructions: readonly Instruction[],
  { version = 0 }: { version?: TransactionVersion | undefined } = {},
): Promise<SignedPayment> {
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash()
  const lifetime = { blockhash: asBlockhash(blockhash), lastValidBlockHeight }
  const message = pipe(
    version === 1 ? setTransactionMessageConfig(v1Config, createTransactionMessage({ version })) : createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayerSigner(payer.signer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  const signed = await signTransactionMessageWithSigners(message)
  return signedPayment(signed)
}

/** A signed transaction in the forms that tests need. */
export function signedPayment(transaction: Parameters<typeof getBase64EncodedWireTransaction>[0]): SignedPayment {
  const encoded = getBase64EncodedWireTransaction(transaction)
  // kit brands signatures with a type of its own.
  return { base64: encoded, bytes: base64.decode(encoded), signature: getSignatureFromTransaction(transaction) as string as Signature }
}
