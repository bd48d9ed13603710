import { type PublicConfig } from '@juicebar/contract/schemas'

import { chainOf, signAndSend, signsWithoutSending, signTransaction } from '../wallet/wallet.ts'
import { answerOf, WalletError, type WalletErrorKind } from '../wallet/wallet-error.ts'
import { type Connection } from '../wallet/wallet-store.ts'

/** A payment that was not made: what happened, whether SOL moved, what to do. */
export class PaymentFailed extends Error {
  /** Nothing was signed, so what was to be paid for can be let go. */
  readonly nothingSigned: boolean

  constructor(message: string, nothingSigned: boolean, cause: unknown) {
    super(message, { cause })
    this.name = 'PaymentFailed'
    this.nothingSigned = nothingSigned
  }
}

/** The signed bytes to hand in, or the 64 bytes of the signature under which the wallet itself has sent them. */
export type WalletAnswer = { signed: Uint8Array } | { sentAs: Uint8Array }

interface Request {
  transaction: Uint8Array
  network: PublicConfig['network']
  /** How long the wallet may take. */
  milliseconds: number
  /** What to do where nobody knows whether the wallet has sent it. */
  ifUnsure: string
}

/** After these a wallet that signs and sends at once has surely sent nothing. */
const beforeSending = new Set<WalletErrorKind>(['rejected', 'unauthorized', 'busy'])

/** Has the wallet sign a payment. Throws `PaymentFailed`. */
export async function askToPay({ wallet, account }: Connection, request: Request): Promise<WalletAnswer> {
  const { transaction, network, milliseconds, ifUnsure } = request
  const chain = chainOf(network)
  const signsOnly = signsWithoutSending(wallet)
  try {
    if (signsOnly) return { signed: await answerOf(signTransaction(wallet, account, transaction, chain), milliseconds) }
    return { sentAs: await answerOf(signAndSend(wallet, account, transaction, chain), milliseconds) }
  } catch (error) {
    const nothingSigned = signsOnly || (error instanceof WalletError && beforeSending.has(error.kind))
    const said = error instanceof Error ? error.message : String(error)
    throw new PaymentFailed(`${said}. ${nothingSigned ? 'No SOL moved.' : ifUnsure}`, nothingSigned, error)
  }
}
