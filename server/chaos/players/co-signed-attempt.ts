import { setTimeout as delay } from 'node:timers/promises'

import { happens, type Path, pickWeighted } from '../seeded-random.ts'
import { type OpenCheckout } from '../studio/shop.ts'
import { tally } from '../tally.ts'
import { type Answer } from './api-client.ts'
import { Attempt, orderOf, pollMillis, REFUSED_MILLIS, type WantedItem } from './attempt.ts'
import { drain, refill } from './drain.ts'
import { type AgreedTerms } from './journal.ts'
import { type Player, type Run } from './player.ts'
import { sendOnce } from './send-transaction.ts'
import { type Offer, signAgain, type SignedTransaction, signOffer } from './wallet.ts'

/**
 * What a buyer does with an offer. pay: as agreed. everywhere: submits the same payment to all servers at once. signTwice: submits two
 * valid signatures of one message at once, and half of the time has the second one land. anotherMessage: submits a second message with the
 * same reference. wrongAmount: one transfer is one lamport off, or of several one is missing. late: submits when the blockhash has expired.
 * bypass: sends to the chain what the market has not signed. keep: signs, and submits nothing. drain: its SOL is gone after the approval.
 */
const coSignedPlans = {
  pay: 0.74,
  everywhere: 0.06,
  signTwice: 0.06,
  anotherMessage: 0.03,
  wrongAmount: 0.03,
  late: 0.02,
  bypass: 0.03,
  keep: 0.03,
}
export type CoSignedPlan = keyof typeof coSignedPlans | 'drain'

export function pickPlan(seed: number, path: Path): CoSignedPlan {
  return pickWeighted<keyof typeof coSignedPlans>(seed, [...path, 'plan'], coSignedPlans) ?? 'pay'
}

/** Longer than a blockhash lives. */
const EXPIRED_SLOTS = 240
const POLLS = 25

interface Reserved {
  purchaseId: string
  signature: string
}

/** An attempt to buy one listing or several with a payment that only the market can send. */
export class CoSignedAttempt extends Attempt {
  /** Why the market refused it last. */
  refusal: string | undefined
  readonly #checkout: OpenCheckout | undefined
  #items: readonly WantedItem[] = []
  #agreed: AgreedTerms | undefined

  constructor(run: Run, buyer: Player, path: Path, checkout?: OpenCheckout) {
    super(run, buyer, path)
    this.#checkout = checkout
  }

  async offer(items: readonly WantedItem[]): Promise<Offer | undefined> {
    this.#items = items
    await this.maybeHesitate('before the offer')
    const most = this.mostFor(items)
    const body = { items: orderOf(items), maxLamports: String(most), checkout: this.#checkout?.publicId }
    const answer = await this.buyer.api.callWithRetries({ method: 'POST', path: '/api/marketplace/offers', body })
    if (answer?.status !== 200) return this.#turnedAway(answer?.code)
    const offer = answer.body['offer'] as Offer
    this.#agreed = { transfers: offer.transfers, most, checkout: this.#checkout?.name }
    return offer
  }

  async carryOut(plan: CoSignedPlan, offer: Offer): Promise<void> {
    switch (plan) {
      case 'pay':
        return this.#pay(plan, offer)
      case 'everywhere':
        return this.#payEverywhere(plan, offer, await this.#sign(offer))
      case 'signTwice':
        return this.#signTwice(plan, offer)
      case 'anotherMessage':
        return this.#payAnotherMessage(plan, offer)
      case 'wrongAmount':
        return this.#payWrongAmount(offer)
      case 'late':
        return this.#payLate(offer)
      case 'bypass':
        return this.#bypass(offer)
      case 'keep':
        this.#keep(await this.#sign(offer))
        return
      case 'drain':
        return this.#drain(plan, offer)
    }
  }

  async #pay(plan: CoSignedPlan, offer: Offer): Promise<void> {
    await this.maybeHesitate('before paying')
    const payment = await this.#sign(offer)
    if (this.crashes('after signing')) {
      this.#keep(payment)
      this.crash('after signing')
    }
    if (this.crashes('submitting')) return this.crashDuring('submitting', this.#submission(offer, payment))
    const reserved = await this.#submit(plan, offer, payment)
    this.maybeCrash('after submitting')
    if (reserved) await this.#follow(reserved)
  }

  /** The same payment has one answer, whichever server is asked. */
  async #payEverywhere(plan: CoSignedPlan, offer: Offer, ...payments: SignedTransaction[]): Promise<void> {
    const calls = payments.map((payment) => this.#submission(offer, payment))
    const answers = (await Promise.all(calls.map((call) => this.buyer.api.callEverywhere(call)))).flat()
    const [payment] = payments
    if (!payment) return
    const reserved = await this.#submit(plan, offer, payment)
    const told = [...answers.flatMap((answer) => reservedIn(answer) ?? []), ...(reserved ? [reserved] : [])]
    if (new Set(told.map(({ purchaseId }) => purchaseId)).size > 1) this.#unexpected('one payment reserved two purchases', payment)
    if (new Set(told.map(({ signature }) => signature)).size > 1) this.#unexpected('one payment was told under two signatures', payment)
    if (reserved) await this.#follow(reserved)
  }

  async #signTwice(plan: CoSignedPlan, offer: Offer): Promise<void> {
    const payment = await this.#sign(offer)
    const copy = signAgain(this.buyer.wallet, payment)
    this.#note(copy)
    this.run.journal.coSigned.copies.set(copy.signature, payment.signature)
    if (happens(this.run.seed, [...this.path, 'lands'], 0.5)) {
      this.run.sendInstead(payment.signature, copy.signature)
      this.run.sendInstead(copy.signature, payment.signature)
    }
    await this.#payEverywhere(plan, offer, payment, copy)
  }

  async #payAnotherMessage(plan: CoSignedPlan, offer: Offer): Promise<void> {
    const [payment, other] = [await this.#sign(offer), await this.#sign(offer, 'legacy')]
    const [reserved, second] = await Promise.all([payment, other].map((each) => this.#submit(plan, offer, each)))
    if (reserved && second) this.#unexpected('two messages with one reference were reserved', payment)
    const accepted = reserved ?? second
    if (accepted) await this.#follow(accepted)
  }

  async #payWrongAmount(offer: Offer): Promise<void> {
    const payment = await this.#sign({ ...offer, transfers: this.wrongTransfers(offer.transfers) })
    const reserved = await this.#submit('wrongAmount', offer, payment)
    if (reserved) this.#unexpected('a payment of the wrong amount was reserved', payment)
  }

  /** An endpoint that lags behind may still know the blockhash: then the reservation ends unpaid. */
  async #payLate(offer: Offer): Promise<void> {
    const payment = await this.#sign(offer)
    await delay(EXPIRED_SLOTS * this.run.slotMillis)
    const reserved = await this.#submit('late', offer, payment)
    if (reserved) await this.#follow(reserved)
  }

  async #bypass(offer: Offer): Promise<void> {
    const payment = await this.#sign(offer)
    this.#keep(payment)
    await sendOnce(this.run.chain, payment)
  }

  /** Its SOL leaves before the payment is submitted, or right after that, but for what the fee of the payment costs, or all of it. */
  async #drain(plan: CoSignedPlan, offer: Offer): Promise<void> {
    const payment = await this.#sign(offer)
    const leavesFee = happens(this.run.seed, [...this.path, 'leaves the fee'], 0.5)
    try {
      if (happens(this.run.seed, [...this.path, 'before'], 0.25)) await drain(this.run, this.buyer, { leavesFee })
      const submitted = this.#submit(plan, offer, payment)
      await drain(this.run, this.buyer, { leavesFee })
      const reserved = await submitted
      if (reserved) await this.#follow(reserved)
    } finally {
      await refill(this.run, this.buyer)
    }
  }

  /** Submits the same bytes until there is an answer to them. */
  async #submit(plan: CoSignedPlan, offer: Offer, payment: SignedTransaction): Promise<Reserved | undefined> {
    const answer = await this.buyer.api.callWithRetries(this.#submission(offer, payment))
    const reserved = reservedIn(answer)
    if (reserved) {
      const story = `co-signed, ${plan}`
      this.run.journal.holds.set(reserved.purchaseId, { items: this.#items.length, answeredAt: Date.now(), story })
      this.purchaseId = reserved.purchaseId
      return reserved
    }
    if (answer && isFinal(answer)) this.run.journal.coSigned.refused.set(payment.signature, answer.code ?? String(answer.status))
    return this.#turnedAway(answer?.code)
  }

  /** Waits for the drinks, as the web app does. */
  async #follow({ purchaseId }: Reserved): Promise<void> {
    this.maybeCrash('waiting')
    for (let polls = 0; polls < POLLS; polls++) {
      const answer = await this.buyer.api.callWithRetries({ method: 'GET', path: `/api/marketplace/purchases/${purchaseId}` })
      if (answer?.status !== 200) return this.refused(answer?.code)
      const { status, endReason } = answer.body['purchase'] as { status: string; endReason: string | null }
      if (status === 'settled') return void this.run.journal.acknowledged.delivered.add(purchaseId)
      if (status === 'ended') return tally(this.run.journal.refusals, `reservation ${endReason}`)
      await delay(pollMillis(polls))
    }
  }

  async #sign(offer: Offer, version: 0 | 'legacy' = 0): Promise<SignedTransaction> {
    const signed = await signOffer(this.buyer.wallet, offer, version)
    this.#note(signed)
    return signed
  }

  /** Before anybody else sees it. */
  #note({ signature }: SignedTransaction): void {
    const meant = { purchaseId: undefined, caseId: undefined, ...(this.#agreed && { agreed: this.#agreed }) }
    this.run.journal.payments.set(signature, { signature, ...meant, signedAt: Date.now() })
  }

  #keep({ signature }: SignedTransaction): void {
    this.run.journal.coSigned.kept.add(signature)
  }

  async #turnedAway(code: string | undefined): Promise<undefined> {
    this.refusal = code
    this.refused(code)
    await delay(REFUSED_MILLIS[code ?? ''] ?? 0)
  }

  #submission({ reference }: Offer, { base64: transaction }: SignedTransaction) {
    const body = { items: orderOf(this.#items), reference, transaction, checkout: this.#checkout?.publicId }
    return { method: 'POST', path: '/api/marketplace/payments', body } as const
  }

  #unexpected(what: string, { signature }: SignedTransaction): void {
    this.run.journal.unexpected.push(`${what}: ${signature}`)
  }
}

/** Whether the same bytes would get the same answer again: a pause is one, a cooldown may be over then. */
function isFinal({ status, code }: Answer): boolean {
  return code === 'PAUSED' || (status < 500 && status !== 429)
}

function reservedIn(answer: Answer | undefined): Reserved | undefined {
  if (answer?.status !== 200 && answer?.status !== 201) return undefined
  return { purchaseId: String(answer.body['purchaseId']), signature: String(answer.body['signature']) }
}
