import { formatAmount, shortSeller } from '../../../ui/format.ts'
import { CloseIcon } from '../../../ui/icons.tsx'
import { type BasketListing } from '../order/basket-store.ts'
import { formatLamports } from '../order/order-text.ts'

/** One listing of the basket, and why it cannot be bought if it is gone. */
export function BasketRow({ listing, onRemove }: { listing: BasketListing; onRemove: () => void }) {
  const { tokenType, tokenName, amount, seller, lamports, gone } = listing
  const what = `${formatAmount(amount)} ${tokenName}`
  return (
    <li className="flex items-center gap-3 py-1" data-token={tokenType}>
      <span className="dot" />
      <div className="min-w-0 flex-1">
        <p className={`text-small font-semibold ${gone ? 'line-through' : ''}`}>
          {what} <span className="font-normal text-dim">of {shortSeller(seller)}</span>
        </p>
        {gone && <p className="text-tiny text-warn">{gone}</p>}
      </div>
      <p className={`figures text-small font-semibold wrap-anywhere ${gone ? 'text-dim line-through' : ''}`}>
        {formatLamports(lamports)} SOL
      </p>
      <button
        type="button"
        aria-label={`Take out ${what} of ${shortSeller(seller)}`}
        onClick={onRemove}
        className="grid size-11 flex-none cursor-pointer place-items-center rounded-field text-dim hover:text-text"
      >
        <CloseIcon />
      </button>
    </li>
  )
}
