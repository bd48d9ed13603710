import { setTimeout as delay } from 'node:timers/promises'

import { between, type Path } from '../seeded-random.ts'
import { type Answer, type Call } from './api-client.ts'
import { Attempt, orderOf, pollMillis, REFUSED_MILLIS, type WantedItem } from './attempt.ts'
import { type Player, type Run } from './player.ts'
import { sendTransaction } from './send-transaction.ts'
import { type SignedTransaction, signTransfers } from './wallet.ts'

/**
 * How a buyer pays who holds first. server: signs and submits the bytes to the server. wallet: sends by itself, with the reference.
 * unreferenced: sends by itself, without the reference.
 */
export type Style = keyof typeof plans

/** Who pays without a reference knows nothing of several transfers, as the first clients of the market. */
export function mayBuySeveral(style: Style): boolean {
  return style !== 'unreferenced'
}

/**
 * What a buyer does with a hold. pay: as agreed. wrongAmount: one transfer is one lamport off, or of several one is missing. payTwice: two payments. late: as the payment window
 * closes. tooLate: long after the listing is free again. cancel: releases the hold. cancelAndPay: releases it and pays all the same.
 * bypass: sends by itself what only the server should send.
 */
export const plans = {
  server: { pay: 0.84, wrongAmount: 0.03, payTwice: 0.05, cancel: 0.04, bypass: 0.04 },
  wallet: { pay: 0.76, wrongAmount: 0.04, payTwice: 0.06, late: 0.04, tooLate: 0.03, cancel: 0.04, cancelAndPay: 0.03 },
  unreferenced: { pay: 0.8, wrongAmount: 0.04, payTwice: 0.04, late: 0.04, tooLate: 0.02, cancel: 0.03, cancelAndPay: 0.03 },
}
export type Plan = 'pay' | 'wrongAmount' | 'payTwice' | 'late' | 'tooLate' | 'cancel' | 'cancelAndPay' | 'bypass'

/** After its payment window, a hold ends when a blockhash has expired at the finalized chain. */
const TOO_LATE_SLOTS = 300
const CONFIRM_TRIES = 12

interface Details {
  purchaseId: string
  listingId: string
  transfers: { to: string; lamports: string }[]
  reference: string
  payMillisLeft: number
}

/** An attempt to buy one listing or several, or parts of them, by a buyer who holds first and pays then. */
export class HoldAttempt extends Attempt {
  readonly #style: Style
  #most: bigint | undefined
  #agreed: Details['transfers'] = []

  constructor(run: Run, buyer: Player, style: Style, path: Path) {
    super(run, buyer, path)
    this.#style = style
  }

  async hold(items: readonly WantedItem[]): Promise<Details | undefined> {
    await this.maybeHesitate('before the hold')
    const call = this.#holdCall(items)
    if (this.crashes('buying')) return this.crashDuring('buying', call)
    const answer = await this.buyer.api.callWithRetries(call)
    if (answer?.status !== 200 && answer?.status !== 201) {
      await delay(REFUSED_MILLIS[answer?.code ?? ''] ?? 0)
      return this.refused(answer?.code)
    }
    const details = answer.body['transactionDetails'] as Details
    this.run.journal.holds.set(details.purchaseId, { items: items.length, answeredAt: Date.now(), story: this.#style })
    this.purchaseId = details.purchaseId
    this.#agreed = details.transfers
    return details
  }

  #holdCall(items: readonly WantedItem[]): Call {
    const [{ listingId, amount } = { listingId: '', amount: undefined }, ...others] = items
    if (!mayBuySeveral(this.#style)) return { method: 'POST', path: `/api/marketplace/buy/${listingId}`, body: undefined }
    const body = { transfers: true }
    if (others.length === 0 && amount === undefined) return { method: 'POST', path: `/api/marketplace/buy/${listingId}`, body }
    this.#most = this.mostFor(items)
    const order = { ...body, items: orderOf(items), maxLamports: String(this.#most) }
    return { method: 'POST', path: '/api/marketplace/purchases', body: order }
  }

  async carryOut(plan: Plan, details: Details): Promise<void> {
    this.record(plan)
    this.maybeCrash('after the hold')
    switch (plan) {
      case 'cancel':
        return this.#cancelHold(details)
      case 'cancelAndPay':
        await this.#cancelHold(details)
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'wrongAmount':
        return this.#payWrongAmount(details)
      case 'payTwice':
        return this.#payTwice(details)
      case 'late':
        await delay(details.payMillisLeft - between(this.run.seed, [...this.path, 'early'], 0, 400))
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'tooLate':
        await delay(details.payMillisLeft + TOO_LATE_SLOTS * this.run.slotMillis)
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'bypass':
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'pay':
        return this.#pay(details)
    }
  }

  async #pay(details: Details): Promise<void> {
    const payment = await this.#sign(details)
    this.maybeCrash('after signing')
    if (this.#style !== 'server') return this.#payByWallet(details, [payment], { mayCrash: true })
    if (this.crashes('submitting')) return this.crashDuring('submitting', submission(details, payment))
    const answer = await this.buyer.api.callWithRetries(submission(details, payment))
    this.maybeCrash('after submitting')
    if (answer?.status !== 200) return this.refused(answer?.code)
    await this.#confirm(details, payment, { mayCrash: true })
  }

  /** A server must refuse this and send nothing. From a wallet it does move SOL, which must not be lost. */
  async #payWrongAmount(details: Details): Promise<void> {
    const payment = await this.#sign({ ...details, transfers: this.wrongTransfers(details.transfers) })
    if (this.#style !== 'server') return this.#payByWallet(details, [payment])
    const answer = await this.buyer.api.callWithRetries(submission(details, payment))
    if (answer?.status === 200)
      this.run.journal.unexpected.push(`a payment of the wrong amount was accepted for purchase ${details.purchaseId}`)
    await this.#cancelHold(details)
  }

  /** Of two submitted payments the server must send only one. */
  async #payTwice(details: Details): Promise<void> {
    const payments = [await this.#sign(details), await this.#sign(details, 'legacy')]
    if (this.#style !== 'server') return this.#payByWallet(details, payments)
    const answers = await Promise.all(payments.map((payment) => this.buyer.api.callWithRetries(submission(details, payment))))
    if (answers.every((answer) => answer?.status === 200)) {
      this.run.journal.unexpected.push(`two payments were accepted for purchase ${details.purchaseId}`)
    }
    const accepted = payments[answers.findIndex((answer) => answer?.status === 200)]
    if (accepted) await this.#confirm(details, accepted, { mayCrash: true })
  }

  /**
   * Sends each payment and confirms it with the server. The client may crash on the way only if the server can find the payment by
   * itself: a wrong payment without a reference is known to its buyer alone.
   */
  async #payByWallet(details: Details, payments: readonly SignedTransaction[], { mayCrash } = { mayCrash: false }): Promise<void> {
    const landed = await Promise.all(payments.map((payment) => sendTransaction(this.run.chain, payment)))
    if (mayCrash) this.maybeCrash('after sending')
    for (const [index, payment] of payments.entries()) {
      if (landed[index]) await this.#confirm(details, payment, { mayCrash })
    }
  }

  async #confirm({ listingId }: Details, { signature }: SignedTransaction, { mayCrash }: { mayCrash: boolean }): Promise<void> {
    const body = { listingId, transactionSignature: signature }
    const call = { method: 'POST', path: '/api/marketplace/confirm-purchase', body } as const
    if (mayCrash && this.crashes('confirming')) return this.crashDuring('confirming', call)
    for (let tries = 0; tries < CONFIRM_TRIES; tries++) {
      const answer = await this.buyer.api.callWithRetries(call)
      if (answer?.status === 200) return this.#delivered(answer)
      if (answer?.status !== 202) return this.refused(answer?.code)
      await delay(pollMillis(tries))
    }
  }

  async #cancelHold({ purchaseId }: Details): Promise<void> {
    const answer = await this.buyer.api.callWithRetries({ method: 'DELETE', path: `/api/marketplace/purchases/${purchaseId}` })
    if (answer?.status !== 200) this.refused(answer?.code)
  }

  /** Signs the payment and writes it to the journal before anybody else sees it. A buyer to whom the chain does not answer gives up. */
  async #sign({ purchaseId, transfers, reference }: Details, version: 0 | 'legacy' = 0): Promise<SignedTransaction> {
    const agreed = transfers.map(({ to, lamports }) => ({ to, lamports: BigInt(lamports) }))
    const carried = this.#style === 'unreferenced' ? undefined : reference
    const signed = await signTransfers(this.run.chain, this.buyer.wallet, agreed, carried, version).catch(() =>
      this.crash('signing, as the chain did not answer'),
    )
    this.run.journal.payments.set(signed.signature, {
      signature: signed.signature,
      purchaseId,
      caseId: undefined,
      signedAt: Date.now(),
      agreed: { transfers: this.#agreed, most: this.#most, checkout: undefined },
    })
    return signed
  }

  #delivered({ body }: Answer): void {
    const { purchaseId } = body['purchase'] as { purchaseId: string }
    this.run.journal.acknowledged.delivered.add(purchaseId)
  }
}

function submission({ purchaseId }: Details, { base64 }: SignedTransaction) {
  return { method: 'POST', path: `/api/marketplace/purchases/${purchaseId}/payment`, body: { transaction: base64 } } as const
}
