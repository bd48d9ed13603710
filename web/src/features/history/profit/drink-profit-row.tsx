import { type ReactNode } from 'react'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { formatAmount } from '../../../ui/format.ts'
import { type DrinkProfit } from './profit-query.ts'
import { signedSol, solOf } from './sol-text.ts'

/** One drink: its profit, its cost, and where the rest went. */
export function DrinkProfitRow({ drink }: { drink: DrinkProfit }) {
  const { tokenType, bought, credited, sold, used, lost, held } = drink
  return (
    <li className="figures grid gap-3 px-4 py-4 text-small sm:px-5" data-token={tokenType}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="flex items-center gap-2.5 font-sans text-small font-semibold tracking-normal">
          <span className="dot" />
          {catalogue().nameOf(tokenType)}
        </h3>
        <p className="font-bold">{signedSol(BigInt(sold.profit))}</p>
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
        <Part name="Bought" amount={bought.amount}>
          for {solOf(bought.basis)}
          {bought.fee !== '0' && `, with ${solOf(bought.fee)} fees`}
        </Part>
        <Part name="Credited" amount={credited.amount}>
          cost 0 SOL
        </Part>
        <Part name="Sold" amount={sold.amount}>
          for {solOf(sold.lamports)}, cost {solOf(sold.basis)}
        </Part>
        <Part name="Used in the game" amount={used.amount}>
          cost {solOf(used.basis)}
        </Part>
        <Part name="Held" amount={held.amount}>
          cost {solOf(held.basis)}
        </Part>
        {lost.amount > 0 && (
          <Part name="Delivered unpaid" amount={lost.amount}>
            cost {solOf(lost.basis)}: the network undid the payment
          </Part>
        )}
      </dl>
    </li>
  )
}

function Part({ name, amount, children }: { name: string; amount: number; children: ReactNode }) {
  return (
    <div>
      <dt className="text-tiny text-dim">{name}</dt>
      <dd>
        <span className="font-semibold">{formatAmount(amount)}</span>
        {amount > 0 && <span className="block text-tiny text-dim">{children}</span>}
      </dd>
    </div>
  )
}
