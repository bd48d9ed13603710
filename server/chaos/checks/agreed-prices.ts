import { type Journal } from '../players/journal.ts'
import { agreedTransfers, type ProductRecord } from './product-record.ts'

/**
 * Nobody pays what was not offered, or more than the market showed when the buyer said how much it may cost, whatever sellers do to their
 * prices meanwhile.
 * @returns a sentence for every violation
 */
export function checkAgreedPrices({ purchases }: ProductRecord, { payments }: Journal, feeWallet: string): string[] {
  return [...purchases.values()].flatMap((purchase) => {
    const { purchaseId, status, signature } = purchase
    const agreed = payments.get(signature ?? '')?.agreed
    if (status !== 'settled' || !agreed) return []
    const costs = agreedTransfers(purchase, feeWallet)
    const [offered, paid] = [agreed.transfers, costs].map((transfers) => transfers.map(transferText).toSorted().join(', '))
    const sum = costs.reduce((total, { lamports }) => total + lamports, 0n)
    return [
      ...(offered === paid ? [] : [`purchase ${purchaseId} cost ${paid}, but its buyer was offered ${offered}`]),
      ...(agreed.most === undefined || sum <= agreed.most
        ? []
        : [`purchase ${purchaseId} cost ${sum} lamports, but its buyer wanted to pay ${agreed.most} at most`]),
    ]
  })
}

function transferText({ to, lamports }: { to: string; lamports: bigint | string }): string {
  return `${lamports} lamports to ${to}`
}
