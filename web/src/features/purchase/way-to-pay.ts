import { type PublicConfig } from '@juicebar/contract/schemas'

import { signsWithoutSending } from '../../wallet/signatures.ts'
import { type MarketWallet } from '../../wallet/wallet.ts'
import { signsAlone } from '../../payment/sign-payment.ts'

/**
 * How a wallet pays here. co-signed: the market signs its payment, too, and sends it. hold: the listing is held, and the wallet's payment is
 * complete as it is. none: it cannot.
 */
export type WayToPay = 'co-signed' | 'hold' | 'none'

export const cannotBuyHere =
  'This wallet cannot buy here: it only sends payments by itself, and in this market only the market sends them. Connect another wallet to buy.'

/** How a wallet pays in a market with these settings. */
export function wayToPay(wallet: MarketWallet, { coSigner, walletSends }: Pick<PublicConfig, 'coSigner' | 'walletSends'>): WayToPay {
  const mayHold = walletSends !== 'off'
  const coSigns = coSigner !== null && signsWithoutSending(wallet)
  if (coSigns && !(mayHold && signsAlone(wallet.name))) return 'co-signed'
  return mayHold ? 'hold' : 'none'
}
