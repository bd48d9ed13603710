import { solText } from '@juicebar/contract/money'
import { type Case } from '@juicebar/contract/schemas'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { formatAmount, formatSol } from '../../ui/format.ts'

type Told = Pick<Case, 'seller' | 'price' | 'fee' | 'amount' | 'tokenName' | 'explanation'>

/** What was paid, and for what. The fee concerns the buyer; if no seller was paid, there is nothing else to show. */
export function caseTitle({ seller, price, fee, amount, tokenName }: Told, isBuyer: boolean): string {
  const feeText = fee && `fee of ${solText(BigInt(fee.lamports))} SOL`
  const wanted = amount === null || tokenName === null ? inMarketWords('for drinks') : `for ${formatAmount(amount)} ${tokenName}`
  if (seller === null && feeText) return `A ${feeText} ${wanted}`
  return `${formatSol(price)} SOL ${feeText && isBuyer ? `and a ${feeText} ` : ''}${wanted}`
}

/** What happened, and what comes next. While the SOL is on its way back, the buyer is still told who owes the fee. */
export function caseNews({ fee, explanation }: Told, { isBuyer, underWay }: { isBuyer: boolean; underWay: boolean }): string {
  if (!underWay) return explanation
  const refund = 'The refund is on its way.'
  return fee && isBuyer ? `${refund} The fee of ${solText(BigInt(fee.lamports))} SOL is owed by the studio.` : refund
}
