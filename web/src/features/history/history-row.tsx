import { type PublicConfig, type Purchase } from '@juicebar/contract/schemas'

import { type PurchaseRole } from '../../api/queries.ts'
import { formatAmount, formatSol, formatTime, shortSeller, shortSignature } from '../../ui/format.ts'
import { explorerLink } from './explorer-link.ts'
import { outcome } from './outcome.ts'

interface HistoryRowProps {
  purchase: Purchase
  role: PurchaseRole
  network: PublicConfig['network'] | undefined
}

/** One purchase or sale. */
export function HistoryRow({ purchase, role, network }: HistoryRowProps) {
  const { tokenType, tokenName, amount, price, createdAt, signature } = purchase
  const [preposition, other] = role === 'buyer' ? ['from', purchase.seller] : ['to', purchase.buyer]
  return (
    <li
      className="figures grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 px-4 py-3 text-small sm:col-span-full sm:grid-cols-subgrid sm:items-center sm:px-5"
      data-token={tokenType}
    >
      <p className="flex items-center gap-2.5 font-semibold">
        <span className="dot" />
        {formatAmount(amount)} {tokenName}
      </p>
      <div className="text-dim max-sm:order-1 max-sm:col-span-full max-sm:text-tiny sm:contents">
        <p className="max-sm:inline" title={other}>
          {preposition} {shortSeller(other)}
          <span className="sm:hidden"> · </span>
        </p>
        <div className="max-sm:inline">
          <p className="max-sm:inline">{outcome(purchase)}</p>
          <p className="text-tiny">
            {formatTime(createdAt)}
            {signature && <SignatureLink signature={signature} network={network} />}
          </p>
        </div>
      </div>
      <p className="text-right font-bold">{formatSol(price)} SOL</p>
    </li>
  )
}

/** The start of a transaction's signature, with a link to an explorer if its chain has one. */
function SignatureLink({ signature, network }: { signature: string; network: HistoryRowProps['network'] }) {
  const href = network && explorerLink(network, signature)
  const face = shortSignature(signature)
  if (!href) return <span title={signature}> · {face}</span>
  return (
    <>
      {' · '}
      <a href={href} target="_blank" rel="noreferrer" title={signature} className="underline hover:text-text">
        {face}
      </a>
    </>
  )
}
