import { randomBytes } from 'node:crypto'
import { base64 } from '@scure/base'
import { parseWalletAddress, type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { lamports } from '@juicebar/contract/money'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import {
  createKeyPairSignerFromPrivateKeyBytes,
  generateKeyPairSigner,
  getTransactionDecoder,
  type Instruction,
  partiallySignTransaction,
} from '@solana/kit'
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { type Chain, type Commitment, type SignatureEntry } from '../../src/chain/chain.ts'
import { createChain, type SolanaChain } from '../../src/chain/client/solana-chain.ts'
import { withSignature } from '../../src/chain/transactions/message.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { postStudioOrder } from '../../src/inventory/post-studio-order.ts'
import { readBalances } from '../../src/inventory/ledger-store.ts'
import { createListing, removeListing } from '../../src/listings/change-listings.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { type FeeTerms } from '../../src/purchases/purchase/purchase.ts'
import { prepareRefund } from '../../src/purchases/cases/refund-case.ts'
import { listCases } from '../../src/purchases/cases/case-store.ts'
import { makeOffer } from '../../src/purchases/co-signed/make-offer.ts'
import { reservePayment } from '../../src/purchases/co-signed/reserve-payment.ts'
import { cancelHold, endHoldAlone } from '../../src/purchases/hold/end-hold.ts'
import { endsUnpaid, type HoldOrder } from '../../src/purchases/hold/hold.ts'
import { type OrderedItem } from '../../src/purchases/reservation/order.ts'
import { placeHold } from '../../src/purchases/hold/place-hold.ts'
import { submitPayment } from '../../src/purchases/payment/submit-payment.ts'
import { type PurchaseDeps } from '../../src/purchases/purchase/purchase-deps.ts'
import { findPurchaseReply } from '../../src/purchases/reply/purchase-reply-store.ts'
import { createCoSigners } from '../../src/purchases/purchase/co-signer.ts'
import { createReferences } from '../../src/purchases/purchase/reference.ts'
import { confirmPurchase } from '../../src/purchases/settlement/confirm-purchase.ts'
import { reconcileOnce } from '../../src/purchases/reconciliation/reconcile-round.ts'
import { runAudit } from '../../src/studio/audit/run-audits.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { FEW_CONNECTIONS } from '../support/few-connections.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { sharedChain, type TestChain } from '../support/test-chain.ts'
import { coSignedTransfer, signAsBuyer } from './co-signed/co-signed-transactions.ts'
import { type Payer, type SignedPayment, signedPayment, signTransaction, transfer, type TransactionVersion } from './transactions.ts'

const SOL = 1_000_000_000n
/** How long a slot takes on Solana's clusters. */
const SLOT_MILLIS = 400
const noFee: FeeTerms = { basisPoints: 0, wallet: undefined }
/** Above the prices that tests name. */
const FIRST_PRICE = 100_000_000n
const PRICE_STEP = 1_000_000n
/** Each round passes so many more blocks than the one before: what is sent again still lands, and soon after that nothing can. */
const MORE_BLOCKS = 8
const BLOCKS_TO_FINAL = 32
/** For two transactions, and above the rent of a wallet. */
const LEFT_FOR_FEES = 2_000_000n

export interface Wallet extends Payer {
  address: WalletAddress
}

/** How a payment differs from the agreed one. */
export interface PaymentChanges {
  from?: Wallet
  to?: WalletAddress
  lamports?: bigint
  /** The references that the transfer carries: by default the purchase's own. */
  references?: readonly string[]
  /** Instructions before and after the transfer. */
  before?: readonly Instruction[]
  after?: readonly Instruction[]
  /** As in `signTransaction`. */
  version?: TransactionVersion
}

interface TradingOptions {
  /** Instead of a new one that is migrated and empty. It is dropped at the end. */
  database?: FreshDatabase
  /** Instead of the chain of this worker. Whoever started it stops it. */
  chain?: TestChain
  fee?: FeeTerms
  holdSeconds?: number
  settleAt?: 'confirmed' | 'finalized'
  /** Signatures in one page of an address's history. */
  pageSize?: number
  /** The tests of the file share one buyer and one rival. */
  sharesPlayers?: boolean
}

export type Offer = Awaited<ReturnType<typeof makeOffer>>
type Identified = Pick<Purchase, 'purchaseId'>

/**
 * The market of a test file, open from its first test to its last: an empty database, the chain of this worker, and wallets with 10 SOL and
 * 1,000 apple juices each. Each test has a buyer and a rival of its own. By default, there is a payment window of a minute. Nothing
 * reconciles by itself: tests call `reconcileUntil`. After the last test the money audit must find nothing, whatever they did.
 */
export function useTradingWorld(options: TradingOptions = {}): TradingWorld {
  const world = new TradingWorld()
  const addPlayers = async () => void ([world.buyer, world.rival] = await Promise.all([world.createWallet(), world.createWallet()]))
  beforeAll(async () => {
    await world.open(options)
    world.seller = await world.createWallet()
    if (options.sharesPlayers) await addPlayers()
  })
  if (!options.sharesPlayers) beforeEach(addPlayers)
  afterAll(async () => {
    await world.expectAllAddsUp()
    await world.close()
  })
  return world
}

/** Opens a market outside the hooks of a file; whoever opens it closes it. */
export async function openTradingWorld(options: TradingOptions = {}): Promise<TradingWorld> {
  const world = new TradingWorld()
  await world.open(options)
  return world
}

/** A market, and what players, their wallets and the passing of time do to it. */
export class TradingWorld {
  deps!: PurchaseDeps
  chain!: SolanaChain
  connection!: DatabaseConnection
  rpcUrl!: string
  databaseUrl!: string
  /** What the server has logged at level info and above. */
  lines!: ReturnType<typeof collectLog>['lines']
  seller!: Wallet
  buyer!: Wallet
  rival!: Wallet
  /** Of this market alone: others on the same chain have keys of their own. */
  readonly referenceSecret = randomBytes(32).toString('hex')
  private testChain!: TestChain
  private fresh!: FreshDatabase
  /** Shared by all views. */
  private readonly passed = { price: FIRST_PRICE, millis: 0 }

  async open({ holdSeconds = 60, settleAt = 'confirmed', pageSize, fee = noFee, database, chain }: TradingOptions): Promise<void> {
    const { log, lines } = collectLog()
    ;[this.fresh, this.testChain] = await Promise.all([database ?? freshDatabase(), chain ?? sharedChain()])
    this.lines = lines
    this.rpcUrl = this.testChain.rpcUrl
    this.databaseUrl = this.fresh.url
    this.connection = connectDatabase(this.fresh.url, () => undefined, FEW_CONNECTIONS)
    const clock = () => performance.now() + this.passed.millis
    this.chain = createChain({ endpoints: [this.rpcUrl], log, clock, ...(pageSize !== undefined && { pageSize }) })
    await this.chain.start()
    this.deps = {
      database: this.connection.database,
      chain: this.chain,
      catalogue: defaultCatalogue,
      settings: { holdSeconds, networkHolds: 10, settleAt, fee, coSign: true, walletSends: 'any' },
      references: createReferences([this.referenceSecret]),
      coSigners: createCoSigners([this.referenceSecret]),
      log,
      failures: createFailureLog(log),
    }
  }

  async close(): Promise<void> {
    await this.chain.stop()
    await this.connection.close()
    await this.fresh.drop()
  }

  /** The same market as another server sees it. */
  seenWith(changes: Partial<Pick<TradingWorld, 'deps' | 'chain' | 'connection' | 'databaseUrl'>>): TradingWorld {
    return Object.assign(Object.create(this) as TradingWorld, changes)
  }

  get database(): PurchaseDeps['database'] {
    return this.connection.database
  }

  /** A price in lamports that no other listing has, so that no payment can be taken for another's. */
  nextPrice(): bigint {
    return (this.passed.price += PRICE_STEP)
  }

  /** A wallet whose private key a test may use itself. */
  async createSeededWallet(): Promise<Wallet & { seed: Uint8Array }> {
    const seed = new Uint8Array(randomBytes(32))
    return { ...(await this.addWallet(await createKeyPairSignerFromPrivateKeyBytes(seed), 10n * SOL)), seed }
  }

  async createWallet({ sol = 10n * SOL }: { sol?: bigint } = {}): Promise<Wallet> {
    return this.addWallet(await generateKeyPairSigner(), sol)
  }

  private async addWallet(signer: Wallet['signer'], sol: bigint): Promise<Wallet> {
    const wallet = { address: asWallet(signer.address), signer }
    await this.database.insertInto('players').values({ walletAddress: wallet.address }).execute()
    const order = {
      walletAddress: wallet.address,
      tokenType: 'APPLE_JUICE',
      amount: 1_000,
      idempotencyKey: `test:${wallet.address}`,
    } as const
    await postStudioOrder(this.deps, { direction: 'credit', ...order })
    if (sol > 0n) this.testChain.fund([wallet.address], sol)
    return wallet
  }

  async appleJuice({ address }: Pick<Wallet, 'address'>): Promise<number> {
    return (await readBalances(this.database, address, defaultCatalogue))['appleJuice'] ?? 0
  }

  /** Lists apple juice for `price` lamports, by default a price of its own. Returns the listing's identifier. */
  async list(seller = this.seller, { amount = 10, price = this.nextPrice(), divisible = false } = {}): Promise<string> {
    const draft = { tokenType: 'APPLE_JUICE', amount, priceLamports: lamports(price), divisible } as const
    return (await createListing(this.database, seller.address, draft))._id
  }

  /** Holds several listings, or parts of them. Returns the purchase as its buyer sees it. */
  async holdItems(buyer: Wallet, items: readonly OrderedItem[]): Promise<Purchase> {
    return this.read((await placeHold(this.deps, orderOf(buyer, items))).id)
  }

  /** Holds a listing. Returns the purchase as its buyer sees it. */
  hold(buyer: Wallet, listingId: string): Promise<Purchase> {
    return this.holdItems(buyer, [{ listingId }])
  }

  /** Lists, and has `buyer` hold that. */
  async holdNew(buyer = this.buyer): Promise<Purchase> {
    return this.hold(buyer, await this.list())
  }

  /** Takes a listing off the market. */
  remove(listingId: string, seller = this.seller) {
    return removeListing(this.database, seller.address, listingId)
  }

  async requestCancel(buyer: Wallet, { purchaseId }: Identified): Promise<void> {
    await cancelHold(this.deps, buyer.address, purchaseId)
  }

  /** Cancels a hold, which ends as if the chain had proved already that nobody paid. */
  async cancel(buyer: Wallet, purchase: Identified): Promise<void> {
    await this.requestCancel(buyer, purchase)
    await endHoldAlone(this.deps, purchase.purchaseId, endsUnpaid)
  }

  /** Lets the time to pay run out. The hold ends as if the chain had proved already that nobody paid. */
  async lapse(purchase: Identified): Promise<void> {
    await this.closePaymentWindow(purchase)
    await endHoldAlone(this.deps, purchase.purchaseId, endsUnpaid)
  }

  /** Signs the agreed payment of a purchase, or one that differs from it. Sends nothing. */
  async signPayment(buyer: Wallet, purchase: Purchase, changes: PaymentChanges = {}): Promise<SignedPayment> {
    const {
      from = buyer,
      to = asWallet(purchase.seller),
      lamports: amount = BigInt(purchase.lamports),
      references = [purchase.reference],
      before = [],
      after = [],
      version,
    } = changes
    return signTransaction(this, buyer, [...before, transfer(from, to, amount, references), ...after], { version })
  }

  /** Signs the agreed payment of a purchase with all its transfers; the fee goes to `studio`. Sends nothing. */
  async signTransfers(buyer: Wallet, purchase: Purchase, studio: Pick<Wallet, 'address'>): Promise<SignedPayment> {
    const { items, fee, reference } = purchase
    const received = new Map<WalletAddress, bigint>()
    for (const { seller, lamports: amount } of items)
      received.set(asWallet(seller), (received.get(asWallet(seller)) ?? 0n) + BigInt(amount))
    if (fee.lamports !== '0') received.set(studio.address, BigInt(fee.lamports))
    return signTransaction(
      this,
      buyer,
      [...received].map(([to, amount]) => transfer(buyer, to, amount, [reference])),
    )
  }

  /** What a buyer would pay for listings, or parts of them, with a payment that only the market can send. */
  offer(buyer: Wallet, items: readonly OrderedItem[], checkout?: string) {
    return makeOffer(this.deps, { buyer: buyer.address, items, mostLamports: undefined, checkout })
  }

  /** Signs what an offer asks for. Submits nothing. */
  signOffer(buyer: Wallet, { transfers, reference, coSigner, blockhash, lastValidBlockHeight }: Offer): Promise<SignedPayment> {
    const instructions = transfers.map(({ to, lamports }) =>
      coSignedTransfer(buyer, asWallet(to), BigInt(lamports), { reference, coSigner }),
    )
    const offered = { blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) }
    return signAsBuyer({ chain: { latestBlockhash: () => Promise.resolve(offered) } }, buyer, instructions)
  }

  /** Submits a signed payment for the server to complete and send. */
  pay(
    buyer: Wallet,
    items: readonly OrderedItem[],
    { reference }: Pick<Offer, 'reference'>,
    { base64: transaction }: SignedPayment,
    checkout?: string,
  ) {
    return reservePayment(this.deps, { buyer: buyer.address, items, reference: asWallet(reference), transaction, checkout })
  }

  /** Completes a payment with the market's key, without a reservation: as whoever has stolen the key, or a database that was lost. */
  coSign({ coSigner }: Pick<Offer, 'coSigner'>, payment: SignedPayment): SignedPayment {
    const bytes = base64.decode(payment.base64)
    const { messageBytes } = getTransactionDecoder().decode(bytes)
    const complete = withSignature(bytes, coSigner, this.deps.coSigners.sign(coSigner, Uint8Array.from(messageBytes)))
    return signedPayment(getTransactionDecoder().decode(complete))
  }

  /** Buys with a payment that only the market can send. Returns the purchase as its buyer sees it, reserved. */
  async buyCoSigned(buyer: Wallet, items: readonly OrderedItem[], checkout?: string): Promise<Purchase> {
    const offer = await this.offer(buyer, items, checkout)
    const { purchaseId } = await this.pay(buyer, items, offer, await this.signOffer(buyer, offer), checkout)
    return this.read(purchaseId)
  }

  /** Prepares the refund of a case, whose payment is final by then. */
  async prepareRefund(seller: Pick<Wallet, 'address'>, { caseId }: { caseId: string }, options: { coSigned?: boolean } = {}) {
    const waits = await this.connection.pool.query('select from cases where id = $1 and not payment_final', [caseId])
    if (waits.rowCount === 1) await this.mine(BLOCKS_TO_FINAL)
    return prepareRefund(this.deps, seller.address, caseId, options)
  }

  /** Prepares the refund of a case and signs it as its seller's wallet does. Sends nothing. */
  async signRefund(seller: Wallet, found: { caseId: string }, options: { coSigned?: boolean } = {}): Promise<SignedPayment> {
    const { transaction } = await this.prepareRefund(seller, found, options)
    const unsigned = getTransactionDecoder().decode(base64.decode(transaction))
    return signedPayment(await partiallySignTransaction([seller.signer.keyPair], unsigned))
  }

  /** Sends a transaction without the server, as a wallet does, and waits until the chain has confirmed that it landed, or failed. */
  async sendByWallet(payment: SignedPayment): Promise<Signature> {
    await callRpc(this.rpcUrl, 'sendTransaction', [payment.base64, { encoding: 'base64', skipPreflight: true }])
    await this.mine(2)
    await vi.waitFor(async () => {
      const status = (await this.chain.statuses([payment.signature])).get(payment.signature)
      expect(status?.commitment).not.toBe('processed')
      expect(status).toBeDefined()
    }, waiting)
    return payment.signature
  }

  /** The buyer's wallet signs the agreed payment, or one that differs from it, and sends it. */
  async payByWallet(buyer: Wallet, purchase: Purchase, changes?: PaymentChanges): Promise<Signature> {
    return this.sendByWallet(await this.signPayment(buyer, purchase, changes))
  }

  /** A wallet signs a transaction of its own and sends it. */
  async transact(payer: Wallet, ...instructions: readonly Instruction[]): Promise<Signature> {
    return this.sendByWallet(await signTransaction(this, payer, instructions))
  }

  /** Spends the SOL for a transaction that its payer has signed and the server has recorded, and sends that: it fails on the chain. */
  async landInVain(payer: Wallet, signature: string): Promise<void> {
    const balance = await this.chain.balance(payer.address, { fresh: true })
    const { address } = await this.createWallet()
    await this.transact(payer, transfer(payer, address, balance - LEFT_FOR_FEES))
    const { rows } = await this.connection.pool.query<{ bytes: string }>(
      "select encode(transaction_bytes, 'base64') as bytes from payments where signature = $1",
      [signature],
    )
    await this.sendByWallet({ signature, base64: rows[0]!.bytes.replaceAll('\n', '') } as SignedPayment)
  }

  /** Hands a signed payment to the server, which sends it. */
  submit(buyer: Wallet, { purchaseId }: Identified, payment: SignedPayment) {
    return submitPayment(this.deps, buyer.address, purchaseId, payment.base64)
  }

  /** The server is told that a listing was paid with this transaction. */
  confirm(buyer: Wallet, listingId: string, signature: string) {
    return confirmPurchase(this.deps, buyer.address, { listingId }, signature)
  }

  async read(purchaseId: string): Promise<Purchase> {
    const purchase = await findPurchaseReply(this.database, purchaseId, { catalogue: defaultCatalogue, genesisHash: undefined })
    if (!purchase) throw new Error('no such purchase')
    return purchase
  }

  /** The cases that a wallet sees, at most 500. */
  async casesOf({ address }: Pick<Wallet, 'address'>): Promise<Case[]> {
    return (await listCases(this.deps, { wallet: address, limit: 500 })).cases
  }

  /** What a wallet sees of the cases that one transaction opened. */
  async casesAbout(signature: string, wallet: Pick<Wallet, 'address'> = this.seller): Promise<Case[]> {
    return (await this.casesOf(wallet)).filter((found) => found.signature === signature)
  }

  /** Buyer and seller see one case that this transaction opened, and see it so. Returns it. */
  async expectCase(signature: string, expected: Partial<Case>): Promise<Case> {
    for (const wallet of [this.buyer, this.seller]) expect(await this.casesAbout(signature, wallet)).toMatchObject([expected])
    return (await this.casesAbout(signature))[0]!
  }

  /** Reconciles until buyer and seller see the case of this transaction so. */
  async untilCase(signature: string, expected: Partial<Case>): Promise<Case> {
    await this.reconcileUntil(async () => void (await this.expectCase(signature, expected)))
    return this.expectCase(signature, expected)
  }

  /** Lets the chain produce so many blocks at once. What the server has read of the chain is as old as they are. */
  async mine(blocks: number): Promise<void> {
    await this.testChain.mine(blocks)
    this.passed.millis += blocks * SLOT_MILLIS
  }

  reconcileOnce(): Promise<unknown> {
    return reconcileOnce(this.deps)
  }

  /**
   * Reconciles everything that will ever be due, round after round, until `condition` no longer throws. Between two rounds the chain
   * produces blocks, so that payments become final, and what was signed and never sent expires; recorded payments grow older with them.
   * Fails after 30 seconds.
   *
   * @param scansBuyers also finds what only a search of the buyer's own transactions does, for clients that add no reference
   */
  async reconcileUntil(condition: () => Promise<void>, { scansBuyers = false }: { scansBuyers?: boolean } = {}): Promise<void> {
    let round = 0
    await vi.waitFor(async () => {
      if (scansBuyers) await this.makeBuyerScansDue()
      await this.makePurchasesDue()
      await this.makeCasesDue()
      await this.reconcileOnce()
      try {
        await condition()
      } catch (error) {
        round += 1
        await this.passTime(round * MORE_BLOCKS)
        throw error
      }
    }, waiting)
  }

  /** Reconciles until a purchase has this status. */
  untilStatus({ purchaseId }: Identified, status: Purchase['status']): Promise<void> {
    return this.reconcileUntil(async () => expect((await this.read(purchaseId)).status).toBe(status))
  }

  /** Reconciles once: the purchase must still be held, so whatever was sent did not pay for it. */
  async expectStillHeld({ purchaseId }: Identified): Promise<void> {
    await this.reconcileOnce()
    expect(await this.read(purchaseId)).toMatchObject({ status: 'held' })
  }

  /** Makes one purchase due, however recently it was reconciled. */
  async makeDue({ purchaseId }: Identified): Promise<void> {
    await this.connection.pool.query('update purchases set reconcile_at = now() where id = $1', [purchaseId])
  }

  /** Makes every purchase due that will ever be again. */
  async makePurchasesDue(): Promise<void> {
    await this.connection.pool.query('update purchases set reconcile_at = least(reconcile_at, now()) where reconcile_at is not null')
  }

  /** Makes every case due that will ever be again. A round takes few of them: those that wait for longest come first. */
  async makeCasesDue(): Promise<void> {
    await this.connection.pool.query('update cases set reconcile_at = least(reconcile_at, now()) where reconcile_at is not null')
  }

  /** Lets the next reconciliation of every hold search its buyer's own transactions, as happens every now and then over a hold's life. */
  async makeBuyerScansDue(): Promise<void> {
    await this.connection.pool.query(
      `update purchases set created_at = least(created_at, now() - interval '2 minutes'), buyer_scans = 0 where status = 'held'`,
    )
  }

  /** Closes a hold's payment window, by the database's clock, and makes the purchase due. */
  async closePaymentWindow({ purchaseId }: Identified): Promise<void> {
    await this.connection.pool.query(
      `with closed as (
         update purchases set pay_before = now() - interval '1 second', reconcile_at = now() where id = $1 returning id, pay_before
       ) update listings set held_until = pay_before from closed where held_by = closed.id`,
      [purchaseId],
    )
  }

  /** Runs the money audit, which must find nothing. */
  async expectAllAddsUp(): Promise<void> {
    expect(await runAudit(this.deps, { full: true })).toMatchObject({ ok: true, violations: [] })
  }

  /** The dependencies, with some of the chain's calls replaced. */
  chainBut(changes: Partial<Chain>): PurchaseDeps {
    const chain = new Proxy<Chain>(this.deps.chain, {
      get: (target, name) => {
        const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name, target)
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
      },
    })
    return { ...this.deps, chain }
  }

  /** The same market on a chain some of whose calls are replaced. */
  withChain(changes: Partial<Chain>): TradingWorld {
    return this.seenWith({ deps: this.chainBut(changes) })
  }

  /** The same market on a chain whose first endpoint, which is to prove what never landed, lists these transactions alone. The others list all. */
  withHidingEndpoint(entries: SignatureEntry[] = []): TradingWorld {
    return this.withChain({
      finalized: async (...args) => {
        const view = await this.chain.finalized(...args)
        const { endpoint, genesisHash, slot, height } = view
        return {
          endpoint,
          genesisHash,
          slot,
          height,
          statusOf: (signature) => view.statusOf(signature),
          history: async () => ({ kind: 'part', entries, older: undefined, pages: 1 }),
        }
      },
      recentSignatures: async (...[of, since, limit, options]) =>
        options?.everywhere ? this.chain.recentSignatures(of, since, limit, options) : entries,
    })
  }

  /** The dependencies on a chain whose transactions are at `commitment`, however far they have come. */
  chainAt(commitment: Commitment): PurchaseDeps {
    const statuses = async (signatures: readonly Signature[]) => {
      const known = await this.chain.statuses(signatures)
      return new Map([...known].map(([signature, status]) => [signature, { ...status, commitment }]))
    }
    return this.chainBut({ statuses, finality: statuses })
  }

  /** Produces blocks, and makes payments that nobody has seen yet older, with their purchases: the server sends them again. */
  private async passTime(blocks: number): Promise<void> {
    await this.mine(blocks)
    await this.connection.pool.query(
      `with older as (update payments set created_at = created_at - interval '2 seconds' where status = 'recorded' returning purchase_id)
      update purchases set created_at = created_at - interval '2 seconds' where id in (select purchase_id from older)`,
    )
  }
}

/** The order of a client that pays all transfers. */
export function orderOf({ address: buyer }: Pick<Wallet, 'address'>, items: readonly OrderedItem[]): HoldOrder {
  return { buyer, items, paysTransfers: true }
}

/** For `vi.waitFor`: what a busy machine may take. */
export const waiting = { timeout: 30_000, interval: 50 }

/** A refusal with this code, thrown by an action. */
export const refusal = (code: string) => expect.objectContaining({ code })

/** How an action ended: `done`, or the code of its refusal. */
export async function outcomeOf(action: Promise<unknown>): Promise<string> {
  try {
    await action
    return 'done'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

/** Calls the chain without the client under test. */
export async function callRpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const reply: unknown = await response.json()
  if (typeof reply !== 'object' || reply === null || !('result' in reply)) throw new Error(`${method}: ${JSON.stringify(reply)}`)
  return reply.result
}

function asWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Error(`${text} is not a wallet address`)
  return wallet
}

export const list = (world: TradingWorld, ...rest: Parameters<TradingWorld['list']>) => world.list(...rest)
export const hold = (world: TradingWorld, ...rest: Parameters<TradingWorld['hold']>) => world.hold(...rest)
export const readPurchase = (world: TradingWorld, id: string) => world.read(id)
export const casesOf = (world: TradingWorld, address: WalletAddress) => world.casesOf({ address })
export const signPayment = (world: TradingWorld, ...rest: Parameters<TradingWorld['signPayment']>) => world.signPayment(...rest)
export const sendByWallet = (world: TradingWorld, payment: SignedPayment) => world.sendByWallet(payment)
export const reconcileUntil = (world: TradingWorld, ...rest: Parameters<TradingWorld['reconcileUntil']>) => world.reconcileUntil(...rest)
export const untilStatus = (world: TradingWorld, purchaseId: string, status: Purchase['status']) =>
  world.untilStatus({ purchaseId }, status)
export const appleJuice = (world: TradingWorld, wallet: Wallet) => world.appleJuice(wallet)
export const expectAllAddsUp = (world: TradingWorld) => world.expectAllAddsUp()
