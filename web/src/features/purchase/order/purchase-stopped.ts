/** A purchase that ended before the wallet was asked. `message` says why, and that no SOL moved. */
export class PurchaseStopped extends Error {
  /** True if the buyer wanted it, so that nothing went wrong. */
  readonly byBuyer: boolean

  constructor(message: string, { byBuyer }: { byBuyer: boolean }) {
    super(message)
    this.name = 'PurchaseStopped'
    this.byBuyer = byBuyer
  }
}
