import { createHash } from 'node:crypto'

import { base58, base64 } from '@scure/base'
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  signBytes,
  signTransactionMessageWithSigners,
  type Transaction,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

import { type ChainClient } from './chain-client.ts'
import { otherSignature } from './second-signature.ts'

export interface Wallet {
  address: string
  signer: KeyPairSigner
  /** The private key. */
  seed: Uint8Array
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
  const key = createHash('sha256').update(`${seed} ${name}`).digest()
  const signer = await createKeyPairSignerFromPrivateKeyBytes(key)
  return { address: signer.address, signer, seed: key }
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

/** Signs a transaction in base64 that somebody else built. The places of other signatures stay empty. */
export async function signPrepared({ signer }: Wallet, transactionBase64: string): Promise<SignedTransaction> {
  return signedTransaction(
    await partiallySignTransaction([signer.keyPair], getTransactionDecoder().decode(base64.decode(transactionBase64))),
  )
}

/** What a market offers: the transfers that pay for it, and what each of them carries. */
export interface Offer {
  transfers: readonly { to: string; lamports: string }[]
  reference: string
  coSigner: string
  blockhash: string
  lastValidBlockHeight: number
}

/** Signs what only the market can send: its own signature is missing. */
export async function signOffer({ signer }: Wallet, offer: Offer, version: 0 | 'legacy' = 0): Promise<SignedTransaction> {
  const carried = [
    { address: address(offer.reference), role: AccountRole.READONLY },
    { address: address(offer.coSigner), role: AccountRole.READONLY_SIGNER },
  ] as const
  const instructions = offer.transfers.map(({ to, lamports }) => {
    const instruction = getTransferSolInstruction({ source: signer, destination: address(to), amount: BigInt(lamports) })
    return { ...instruction, accounts: [...instruction.accounts, ...carried] }
  })
  const lifetime = { blockhash: blockhash(offer.blockhash), lastValidBlockHeight: BigInt(offer.lastValidBlockHeight) }
  const message = pipe(
    createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayer(signer.address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  return signedTransaction(await partiallySignTransaction([signer.keyPair], compileTransaction(message)))
}

/** The same message under another valid signature of its payer. */
export function signAgain({ address: payer, seed }: Wallet, { base64: first }: SignedTransaction): SignedTransaction {
  const transaction = getTransactionDecoder().decode(base64.decode(first))
  const signature = signatureBytes(otherSignature(seed, new Uint8Array(transaction.messageBytes)))
  return signedTransaction({ ...transaction, signatures: { ...transaction.signatures, [payer]: signature } })
}

function signedTransaction(transaction: Transaction): SignedTransaction {
  return { signature: getSignatureFromTransaction(transaction), base64: getBase64EncodedWireTransaction(transaction) }
}
