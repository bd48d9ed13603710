import { type WalletAddress, parseWalletAddress } from '@juicebar/contract/addresses'
import {
  AccountRole,
  address,
  type AccountMeta,
  appendTransactionMessageInstructions,
  blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

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
  const transfer = getTransferSolInstruction({ source: from, destination: address(to), amount: lamports })
  const extra: AccountMeta[] = reference ? [{ address: address(reference), role: AccountRole.READONLY }] : []
  return { ...transfer, accounts: [...transfer.accounts, ...extra] }
}

/** Signs with the payer and every other signer of the instructions. @returns the transaction as base64. */
export async function sign(
  version: 'legacy' | 0 | 1,
  payer: KeyPairSigner,
  instructions: Instruction[],
  lifetime = { blockhash: someBlockhash, lastValidBlockHeight: 200n },
): Promise<string> {
  const message = pipe(
    createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayerSigner(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ ...lifetime, blockhash: blockhash(lifetime.blockhash) }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
}
