import { type WalletAddress, parseWalletAddress } from '@juicebar/contract/addresses'
import { generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit'

import { signTransaction, transfer, type TransactionVersion } from '../../purchases/transactions.ts'

/** Any 32 bytes: pure decoding does not look it up. */
export const someBlockhash = 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N'
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

export interface Wallet {
  signer: KeyPairSigner
  address: WalletAddress
}

export async function newWallet(): Promise<Wallet> {
  const signer = await generateKeyPairSigner()
  return { signer, address: walletAddress(signer.address) }
}

export function walletAddress(text: string): WalletAddress {
  const address = parseWalletAddress(text)
  if (!address) throw new Error(`${text} is no address`)
  return address
}

/** A System transfer that carries the reference, as the web app builds it. */
export function payment(from: KeyPairSigner, to: string, lamports: bigint, reference?: string): Instruction {
  return transfer({ signer: from }, walletAddress(to), lamports, reference === undefined ? [] : [reference])
}

/** Signs with the payer and every other signer of the instructions. @returns the transaction as base64. */
export async function sign(
  version: TransactionVersion,
  signer: KeyPairSigner,
  instructions: Instruction[],
  lifetime = { blockhash: someBlockhash, lastValidBlockHeight: 200n },
): Promise<string> {
  const chain = { latestBlockhash: async () => lifetime }
  return (await signTransaction({ chain }, { signer }, instructions, { version })).base64
}
