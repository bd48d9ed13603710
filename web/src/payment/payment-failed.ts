import { WalletError, type WalletErrorKind } from '../wallet/wallet-error.ts'

/** A payment that was not made, or may not have been. `message` says what happened, whether SOL moved, and what to do. */
export class PaymentFailed extends Error {
  /** True if nothing was signed, so that no SOL can move. */
  readonly nothingSigned: boolean

  constructor(message: string, { nothingSigned, cause }: { nothingSigned: boolean; cause: unknown }) {
    super(message, { cause })
    this.name = 'PaymentFailed'
    this.nothingSigned = nothingSigned
  }
}

/** What a wallet says of its connection or its owner is no word about the transaction. */
const othersThanFailures = new Set<WalletErrorKind>(['rejected', 'unauthorized', 'disconnected', 'busy', 'silent', 'missing'])

/** True if a wallet failed to sign a payment, perhaps because somebody else signs it, too. */
export function failsOnTwoSigners(error: unknown): boolean {
  return error instanceof PaymentFailed && error.cause instanceof WalletError && !othersThanFailures.has(error.cause.kind)
}
