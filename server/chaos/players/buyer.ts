import { setTimeout as delay } from 'node:timers/promises'

import { between, happens, type Path, pickShare } from '../seeded-random.ts'
import { type HeldPurchase, tally } from './journal.ts'
import { sendTransaction } from './send-transaction.ts'
import { type ShopWindow } from './listing-poller.ts'
import { type Run, type Trader } from './player.ts'
import { type SignedTransaction, signTransfer } from './wallet.ts'

/** server: signs, and hands the bytes to the server. wallet: sends by itself, with the reference. plain: knows only the specification. */
const styles = { server: 0.5, wallet: 0.3, plain: 0.2 }
type Style = keyof typeof styles

/**
 * What a buyer does with a hold. pay: as agreed. wrong: another amount. twice: two payments. late: when the time to pay is just over.
 * tooLate: when the lot is long free again. cancel: gives it back. cancelAndPay: and pays all the same. aside: sends what only the
 * server should send.
 */
const plans = {
  server: { pay: 0.84, wrong: 0.03, twice: 0.05, cancel: 0.04, aside: 0.04 },
  wallet: { pay: 0.76, wrong: 0.04, twice: 0.06, late: 0.04, tooLate: 0.03, cancel: 0.04, cancelAndPay: 0.03 },
  plain: { pay: 0.8, wrong: 0.04, twice: 0.04, late: 0.04, tooLate: 0.02, cancel: 0.03, cancelAndPay: 0.03 },
}
type Plan = 'pay' | 'wrong' | 'twice' | 'late' | 'tooLate' | 'cancel' | 'cancelAndPay' | 'aside'

const DEATH = 0.025
/** Those who died left holds behind that have to end first. */
const TOO_MANY_HOLDS_MILLIS = 2_000
const TOO_LATE_MILLIS = 15_000
const CONFIRM_TRIES = 60
const CONFIRM_PAUSE_MILLIS = 250
const IDLE_MILLIS = { low: 20, high: 400 }

interface Details {
  purchaseId: string
  listingId: string
  seller: string
  lamports: string
  reference: string
  payMillisLeft: number
}

/** A client that has gone: its process ended, its tab was closed. */
class Died extends Error {}

/** One buyer: buys one lot after the other while it gets a turn, sometimes wrongly, sometimes dying on the way. */
export async function runBuyer(run: Run, buyer: Trader, shop: ShopWindow, nextTurn: () => Promise<boolean>): Promise<void> {
  for (let n = 1; await nextTurn(); n++) {
    const path = ['buyer', buyer.name, n]
    try {
      await buyOne(run, buyer, shop, path)
    } catch (error) {
      if (!(error instanceof Died)) throw error
      tally(run.journal.deaths, error.message)
    }
    await delay(between(run.seed, [...path, 'idle'], IDLE_MILLIS.low, IDLE_MILLIS.high))
  }
}

async function buyOne(run: Run, buyer: Trader, shop: ShopWindow, path: Path): Promise<void> {
  const lot = shop.choose(run.seed, [...path, 'lot'])
  if (!lot) return
  const style = pickShare<Style>(run.seed, [...path, 'style'], styles) ?? 'plain'
  run.journal.attempts += 1
  const purchase = new Purchase(run, buyer, style, path)
  const details = await purchase.hold(lot._id)
  if (details) await purchase.carryOut(pickShare<Plan>(run.seed, [...path, 'plan'], plans[style]) ?? 'pay', details)
}

/** One attempt of a buyer at one lot. */
class Purchase {
  readonly #run: Run
  readonly #buyer: Trader
  readonly #style: Style
  readonly #path: Path
  #purchaseId: string | undefined

  constructor(run: Run, buyer: Trader, style: Style, path: Path) {
    this.#run = run
    this.#buyer = buyer
    this.#style = style
    this.#path = path
  }

  async hold(listingId: string): Promise<Details | undefined> {
    const body = this.#style === 'server' ? { sendsThrough: 'server' } : undefined
    const call = { method: 'POST', path: `/api/marketplace/buy/${listingId}`, body } as const
    if (this.#dies('buying')) return this.#dieWith('buying', call)
    const answer = await this.#buyer.api.insist(call)
    if (answer?.code === 'TOO_MANY_HOLDS') await delay(TOO_MANY_HOLDS_MILLIS)
    if (answer?.status !== 200) return this.#refused(answer?.code)
    const details = answer.body['transactionDetails'] as Details
    this.#run.journal.holds.set(details.purchaseId, { ...held(details, this.#buyer.wallet.address), story: this.#style })
    this.#purchaseId = details.purchaseId
    return details
  }

  async carryOut(plan: Plan, details: Details): Promise<void> {
    this.#tell(plan)
    this.#mayDie('after the hold')
    switch (plan) {
      case 'cancel':
        return this.#cancelHold(details)
      case 'cancelAndPay':
        await this.#cancelHold(details)
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'wrong':
        return this.#payWrongly(details)
      case 'twice':
        return this.#payTwice(details)
      case 'late':
        await delay(details.payMillisLeft - between(this.#run.seed, [...this.#path, 'early'], 0, 400))
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'tooLate':
        await delay(details.payMillisLeft + TOO_LATE_MILLIS)
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'aside':
        return this.#payByWallet(details, [await this.#sign(details)])
      case 'pay':
        return this.#pay(details)
    }
  }

  async #pay(details: Details): Promise<void> {
    const payment = await this.#sign(details)
    this.#mayDie('after signing')
    if (this.#style !== 'server') return this.#payByWallet(details, [payment], true)
    if (this.#dies('paying')) return this.#dieWith('paying', handIn(details, payment))
    const answer = await this.#buyer.api.insist(handIn(details, payment))
    this.#mayDie('after paying')
    if (answer?.status !== 200) return this.#refused(answer?.code)
    await this.#confirm(details, payment, true)
  }

  /** The server refuses it and sends nothing; a wallet's own does move SOL, which must not get lost. */
  async #payWrongly(details: Details): Promise<void> {
    const lamports = BigInt(details.lamports) + (happens(this.#run.seed, [...this.#path, 'more'], 0.5) ? 1n : -1n)
    if (this.#style !== 'server') return this.#payByWallet(details, [await this.#sign({ ...details, lamports: lamports.toString() })])
    const answer = await this.#buyer.api.insist(handIn(details, await this.#sign({ ...details, lamports: lamports.toString() })))
    if (answer?.status === 200) this.#run.journal.surprises.push(`a wrong payment of purchase ${details.purchaseId} was taken`)
    await this.#cancelHold(details)
  }

  /** Of two payments handed to the server it sends one. */
  async #payTwice(details: Details): Promise<void> {
    const payments = [await this.#sign(details), await this.#sign(details, true)]
    if (this.#style !== 'server') return this.#payByWallet(details, payments)
    const answers = await Promise.all(payments.map((payment) => this.#buyer.api.insist(handIn(details, payment))))
    if (answers.every((answer) => answer?.status === 200)) {
      this.#run.journal.surprises.push(`two payments of purchase ${details.purchaseId} were taken`)
    }
    const taken = payments[answers.findIndex((answer) => answer?.status === 200)]
    if (taken) await this.#confirm(details, taken, true)
  }

  /**
   * Sends and then claims each payment. A client dies on the way only where the server can find the payment by itself soon: one
   * that is off and names no purchase is found by nobody but its buyer.
   */
  async #payByWallet(details: Details, payments: readonly SignedTransaction[], mayDie = false): Promise<void> {
    const landed = await Promise.all(payments.map((payment) => sendTransaction(this.#run.chain, payment)))
    if (mayDie) this.#mayDie('after sending')
    for (const [index, payment] of payments.entries()) {
      if (landed[index]) await this.#confirm(details, payment, mayDie)
    }
  }

  async #confirm({ listingId }: Details, { signature }: SignedTransaction, mayDie: boolean): Promise<void> {
    const body = { listingId, transactionSignature: signature }
    const call = { method: 'POST', path: '/api/marketplace/confirm-purchase', body } as const
    if (mayDie && this.#dies('confirming')) return this.#dieWith('confirming', call)
    for (let tries = 0; tries < CONFIRM_TRIES; tries++) {
      const answer = await this.#buyer.api.insist(call)
      if (answer?.status !== 202) return answer?.status === 200 ? undefined : this.#refused(answer?.code)
      await delay(CONFIRM_PAUSE_MILLIS)
    }
  }

  async #cancelHold({ purchaseId }: Details): Promise<void> {
    const answer = await this.#buyer.api.insist({ method: 'DELETE', path: `/api/marketplace/purchases/${purchaseId}` })
    if (answer?.status !== 200) this.#refused(answer?.code)
  }

  /** Notes the payment before anybody gets to see it. */
  async #sign({ purchaseId, seller, lamports, reference }: Details, legacy = false): Promise<SignedTransaction> {
    const order = { to: seller, lamports: BigInt(lamports), reference: this.#style === 'plain' ? undefined : reference }
    const signed = await signTransfer(this.#run.chain, this.#buyer.wallet, order, legacy)
    this.#run.journal.payments.set(signed.signature, { signature: signed.signature, purchaseId, caseId: undefined, signedAt: Date.now() })
    return signed
  }

  #refused(code: string | undefined): undefined {
    tally(this.#run.journal.refusals, code ?? 'no answer')
  }

  #dies(step: string): boolean {
    return happens(this.#run.seed, [...this.#path, 'dies', step], DEATH)
  }

  #mayDie(step: string): void {
    if (!this.#dies(step)) return
    this.#tell(`died ${step}`)
    throw new Died(step)
  }

  #tell(event: string): void {
    const hold = this.#run.journal.holds.get(this.#purchaseId ?? '')
    if (hold) hold.story += `, ${event}`
  }

  async #dieWith(step: string, call: Parameters<Trader['api']['sendAndDie']>[0]): Promise<never> {
    this.#tell(`died ${step}`)
    await this.#buyer.api.sendAndDie(call)
    throw new Died(step)
  }
}

function held({ purchaseId, listingId, seller, lamports }: Details, buyer: string): Omit<HeldPurchase, 'story'> {
  return { purchaseId, listingId, buyer, seller, lamports: BigInt(lamports) }
}

function handIn({ purchaseId }: Details, { base64 }: SignedTransaction) {
  return { method: 'POST', path: `/api/marketplace/purchases/${purchaseId}/payment`, body: { transaction: base64 } } as const
}
