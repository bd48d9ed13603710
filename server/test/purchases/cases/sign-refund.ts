import { base64 } from '@scure/base'
import { getTransactionDecoder, partiallySignTransaction } from '@solana/kit'
import { prepareRefund } from '../../../src/purchases/cases/refund-case.ts'
import { type TradingWorld, type Wallet } from '../trading-world.ts'
import { type SignedPayment, signedPayment } from '../transactions.ts'

/** Prepares the refund of a case and signs it as its seller's wallet does. Sends nothing. */
export async function signRefund({ deps }: TradingWorld, seller: Wallet, { caseId }: { caseId: string }): Promise<SignedPayment> {
  const { transaction } = await prepareRefund(deps, seller.address, caseId)
  const unsigned = getTransactionDecoder().decode(base64.decode(transaction))
  return signedPayment(await partiallySignTransaction([seller.signer.keyPair], unsigned))
}
