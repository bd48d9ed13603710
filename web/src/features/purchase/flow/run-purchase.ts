import { type Purchase, type PublicConfig } from '@juicebar/contract/schemas'

import { ApiError } from '../../../api/api-error.ts'
import { rememberLoneSigner } from '../../../payment/lone-signers.ts'
import { failsOnTwoSigners } from '../../../payment/payment-failed.ts'
import { requireConnection } from '../../../wallet/require-connection.ts'
import { type Connection } from '../../../wallet/wallet-store.ts'
import { type CoSignedPayment, payCoSigned } from '../co-signed/pay-co-signed.ts'
import { payByHold } from '../hold/pay-by-hold.ts'
import { takeOut } from '../order/basket-store.ts'
import { isOvertaken, Overtaken } from '../order/overtaken.ts'
import { type PaidPurchase } from '../order/payment.ts'
import { PurchaseStopped } from '../order/purchase-stopped.ts'
import { stepOf } from '../purchase.ts'
import { cannotBuyHere, wayToPay } from '../way-to-pay.ts'
import { failureText, type Reached } from './failure-text.ts'
import { followPurchase } from './follow-purchase.ts'
import { refusedText } from './refused-text.ts'

interface Run extends Omit<CoSignedPayment, 'connection' | 'network'> {
  config: PublicConfig
  /** Reads the market's settings again. */
  reloadConfig: () => Promise<PublicConfig>
}

/**
 * Runs a purchase: payment, confirmation, delivery.
 *
 * @returns the purchase, settled or ended
 * @throws Error with a sentence for the buyer: what happened, whether SOL moved, and what to do; PurchaseStopped if the wallet was not asked;
 * Overtaken if somebody else has the only listing of the order
 */
export async function runPurchase(run: Run): Promise<Purchase> {
  const { order, onProgress } = run
  const reached: Reached = { forCheckout: order.checkout !== undefined }
  try {
    const paid = await pay(run, requireConnection(), reached)
    reached.sent = true
    onProgress({ step: 'sent' })
    takeOut(order.items)
    return await followPurchase({ ...paid, onChange: (purchase) => onProgress({ step: stepOf(purchase) }) })
  } catch (error) {
    if (error instanceof PurchaseStopped) throw error
    const refused = reached.sent ? undefined : refusedText(error, order)
    if (isOvertaken(error) && !reached.sent && refused === undefined) throw new Overtaken(error)
    throw new Error(refused ?? failureText(error, reached), { cause: error })
  }
}

async function pay(run: Run, connection: Connection, reached: Reached): Promise<PaidPurchase> {
  const payment = { ...run, connection, network: run.config.network }
  const holdAndPay = () => {
    reached.mayBeHeld = true
    return payByHold(payment)
  }
  const way = run.order.origin === 'held' ? 'hold' : wayToPay(connection.wallet, run.config)
  if (way === 'none') throw new PurchaseStopped(cannotBuyHere, { byBuyer: false })
  if (way === 'hold') return await holdAndPay()
  try {
    return await payCoSigned(payment)
  } catch (error) {
    if (!(await mayHoldInstead(error, run))) throw error
    const paid = await holdAndPay()
    if (failsOnTwoSigners(error)) rememberLoneSigner(connection.wallet.name)
    return paid
  }
}

/** True if the market's signature is what a purchase failed on, and the wallet may pay without it. Nothing was submitted then. */
async function mayHoldInstead(error: unknown, { config, reloadConfig }: Run): Promise<boolean> {
  if (failsOnTwoSigners(error)) return config.walletSends !== 'off'
  return error instanceof ApiError && error.code === 'CO_SIGN_OFF' && (await reloadConfig()).walletSends !== 'off'
}
