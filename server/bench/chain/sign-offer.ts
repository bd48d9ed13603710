import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'

import { type Wallet } from '../../chaos/players/wallet.ts'

/** What a payment that only the market can send is made of. */
export interface OfferedPayment {
  transfers: { to: string; lamports: string }[]
  reference: string
  coSigner: string
  blockhash: string
  lastValidBlockHeight: number
}

/** Signs an offer as its buyer alone: the co-signer's place stays empty. @returns the transaction in base64 */
export async function signOffer({ signer }: Pick<Wallet, 'signer'>, offer: OfferedPayment): Promise<string> {
  const { transfers, reference, coSigner, lastValidBlockHeight } = offer
  const named = [
    { address: address(reference), role: AccountRole.READONLY },
    { address: address(coSigner), role: AccountRole.READONLY_SIGNER },
  ] as const
  const instructions = transfers.map(({ to, lamports }) => {
    const instruction = getTransferSolInstruction({ source: signer, destination: address(to), amount: BigInt(lamports) })
    return { ...instruction, accounts: [...instruction.accounts, ...named] }
  })
  const lifetime = { blockhash: blockhash(offer.blockhash), lastValidBlockHeight: BigInt(lastValidBlockHeight) }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(signer.address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  )
  return getBase64EncodedWireTransaction(await partiallySignTransaction([signer.keyPair], compileTransaction(message)))
}
