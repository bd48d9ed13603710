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
