import { base64 } from '@scure/base'
import {
  address,
  appendTransactionMessageInstruction,
  blockhash,
  compileTransaction,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createApp } from '../../../src/app/app.ts'
import { type Chain } from '../../../src/chain/chain.ts'
import { createRelay } from '../../../src/chain/client/relay.ts'
import { readConfig } from '../../../src/config.ts'
import { type TradingWorld, useTradingWorld, type Wallet } from '../trading-world.ts'
import { type SignedPayment, signedPayment } from '../transactions.ts'

export const PUBLIC_ORIGIN = 'https://market.example'

const migrationsFolder = new URL('../../../migrations', import.meta.url).pathname

export interface Server {
  origin: string
  stop(): Promise<void>
}

/** A market with a server, and the phone of each test's buyer. */
interface PhoneMarket {
  world: TradingWorld
  server: Server
  phone: SolanaPayWallet
}

/** As `useTradingWorld`, with a whole server. Each test begins without links. */
export function usePhoneMarket(settings?: Record<string, string>): PhoneMarket {
  const market = { world: useTradingWorld() } as PhoneMarket
  const { world } = market
  beforeAll(async () => void (market.server = await startServer(world, settings)))
  beforeEach(async () => {
    await world.database.deleteFrom('payLinkHolds').execute()
    await world.database.deleteFrom('payLinks').execute()
    market.phone = new SolanaPayWallet(world.buyer, market.server.origin)
  })
  afterAll(() => market.server.stop())
  return market
}

/** A whole server of a trading world, which reconciles by itself. */
export async function startServer(world: TradingWorld, settings: Record<string, string> = {}): Promise<Server> {
  const { connection, chain, deps } = world
  const app = await createApp({
    config: { ...readConfig({ PUBLIC_ORIGIN, ...settings }), port: 0 },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: 'studio-key-of-this-test',
    connection,
    chain,
    catalogue: deps.catalogue,
    relay: createRelay(chain.pool, { demo: true }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder,
  })
  await app.start()
  const address = app.fastify.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen')
  return { origin: `http://localhost:${address.port}`, stop: () => app.stop() }
}

export interface MadeLink {
  id: string
  url: string
}

/** Makes a payment link as a page without a session does. */
export async function makeLink({ origin }: Server, listingId: string): Promise<MadeLink> {
  const reply = await fetch(`${origin}/api/marketplace/listings/${listingId}/pay-link`, { method: 'POST' })
  if (reply.status !== 201) throw new Error(`no link: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as MadeLink
}

export async function stateOf({ origin }: Server, { id }: MadeLink): Promise<string> {
  const reply = await fetch(`${origin}/api/marketplace/pay-links/${id}`)
  const { state } = (await reply.json()) as { state: string }
  return state
}

export interface WalletReply {
  status: number
  headers: Headers
  body: Record<string, string>
}

/**
 * A wallet as the specification of Solana Pay's transaction requests has it (https://docs.solanapay.com/spec), with what wallets add: it
 * reads the link of a QR code, asks with GET and POST, and replaces fee payer and blockhash of what carries no signature.
 */
export class SolanaPayWallet {
  readonly #owner: Wallet
  readonly #origin: string

  /** @param origin where the server of this test really listens, instead of its public address */
  constructor(owner: Wallet, origin: string) {
    this.#owner = owner
    this.#origin = origin
  }

  /** The link in a scanned URL. */
  static linkOf(url: string): URL {
    const [, encoded = ''] = /^solana:(.+)$/.exec(url) ?? []
    const link = new URL(decodeURIComponent(encoded))
    if (link.protocol !== 'https:') throw new Error('wallets refuse links that are not https')
    return link
  }

  async get(url: string): Promise<WalletReply> {
    return read(await fetch(this.#address(url), { headers: { 'accept-encoding': 'gzip' } }))
  }

  /** @param fields what the wallet sends besides the account, which the specification allows */
  async post(url: string, fields: object = {}): Promise<WalletReply> {
    const headers = { accept: 'application/json', 'content-type': 'application/json', 'cache-control': 'no-cache' }
    const body = JSON.stringify({ account: this.#owner.address, ...fields })
    return read(await fetch(this.#address(url), { method: 'POST', headers, body }))
  }

  /** Signs a transaction that a server answered with, on a blockhash of the wallet's own, with a priority fee of its own. */
  async sign(chain: Pick<Chain, 'latestBlockhash'>, transaction: string): Promise<SignedPayment> {
    const received = getTransactionDecoder().decode(base64.decode(transaction))
    if (Object.values(received.signatures).some((signature) => signature !== null)) throw new Error('this transaction is signed')
    const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(received.messageBytes))
    const { blockhash: latest, lastValidBlockHeight } = await chain.latestBlockhash()
    const completed = pipe(
      message,
      (sent) => setTransactionMessageFeePayer(address(this.#owner.address), sent),
      (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(latest), lastValidBlockHeight }, paid),
      (timed) => appendTransactionMessageInstruction(unitLimit, timed),
    )
    return signedPayment(await signTransaction([this.#owner.signer.keyPair], compileTransaction(completed)))
  }

  #address(url: string): string {
    return new URL(SolanaPayWallet.linkOf(url).pathname, this.#origin).href
  }
}

/** Compute Budget's SetComputeUnitLimit, as wallets add it. */
const unitLimit = {
  programAddress: address('ComputeBudget111111111111111111111111111111'),
  data: new Uint8Array([2, 0x40, 0x0d, 0x03, 0]),
}

async function read(response: Response): Promise<WalletReply> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, string> }
}
