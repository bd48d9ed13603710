import { type PublicConfig } from '@juicebar/contract/schemas'

import { chainOf, signAndSend, signsWithoutSending, signTransaction } from '../wallet/signatures.ts'
import { WalletError, type WalletErrorKind, withTimeout } from '../wallet/wallet-error.ts'
import { type Connection } from '../wallet/wallet-store.ts'
import { PaymentFailed } from './payment-failed.ts'

/** The signed bytes to submit, or the 64 bytes of the signature under which the wallet itself has sent them. */
export type SignedPayment = { signed: Uint8Array } | { sentAs: Uint8Array }

interface PaymentRequest {
  transaction: Uint8Array
  network: PublicConfig['network']
  /** How long the wallet may take, in milliseconds. */
  timeout: number
  /** What to tell the person if it is unknown whether the wallet has sent it. */
  ifUnsure: string
}

/** If a wallet signs and sends in one step, these errors prove that it sent nothing. */
const beforeSending = new Set<WalletErrorKind>(['rejected', 'unauthorized', 'busy'])

/**
 * Has the wallet sign a payment.
 *
 * @throws PaymentFailed
 */
export async function signPayment({ wallet, account }: Connection, request: PaymentRequest): Promise<SignedPayment> {
  const { transaction, network, timeout, ifUnsure } = request
  const chain = chainOf(network)
  const signsOnly = signsWithoutSending(wallet)
  try {
    if (signsOnly) return { signed: await withTimeout(signTransaction(wallet, account, transaction, chain), timeout) }
    return { sentAs: await withTimeout(signAndSend(wallet, account, transaction, chain), timeout) }
  } catch (error) {
    const nothingSigned = signsOnly || (error instanceof WalletError && beforeSending.has(error.kind))
    const said = error instanceof Error ? error.message : String(error)
    throw new PaymentFailed(`${said}. ${nothingSigned ? 'No SOL moved.' : ifUnsure}`, { nothingSigned, cause: error })
  }
}
