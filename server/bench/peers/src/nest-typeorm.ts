import 'reflect-metadata'

import { randomUUID } from 'node:crypto'

import {
  Body,
  Controller,
  type DynamicModule,
  Headers,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type NestExpressApplication } from '@nestjs/platform-express'
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm'
import { DataSource, In } from 'typeorm'

import { openChain, type PeerChain } from './chain.js'
import {
  BalanceRow,
  entities,
  EventRow,
  ListingRow,
  PaymentRow,
  PlayerRow,
  PurchaseItemRow,
  PurchaseRow,
  SessionRow,
  TransferRow,
} from './entities.js'
import * as market from './market.js'
import { runPeer } from './run-peer.js'

const SETTINGS = 'settings'
const CHAIN = 'chain'
const lock = { mode: 'pessimistic_write' } as const

@Injectable()
class Purchases {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    @Inject(CHAIN) private readonly chain: PeerChain,
    @Inject(SETTINGS) private readonly settings: market.PeerSettings,
  ) {}

  async buyerOf(authorization: string | undefined): Promise<string> {
    const tokenHash = market.hashToken(authorization)
    return market.requireSession(await this.database.manager.findOne(SessionRow, { where: { tokenHash } })).wallet
  }

  async hold(buyer: string, listingId: string): Promise<market.Purchase> {
    const balance = await this.chain.balance(buyer)
    return this.database.transaction(async (tx) => {
      const player = await tx.findOne(PlayerRow, { where: { wallet: buyer }, lock })
      const row = await tx.findOne(ListingRow, { where: { id: listingId }, lock })
      const open = await tx.find(PurchaseRow, { where: { buyer, status: 'held' }, relations: { items: true } })
      const listing = market.checkHold({ buyer, blocked: player?.blocked ?? true, listing: row ?? undefined, open, balance })
      const { seller, tokenType, amount, lamports } = listing
      const payBefore = new Date(Date.now() + this.settings.holdSeconds * 1_000)
      const purchase = tx.create(PurchaseRow, { id: randomUUID(), buyer, lamports, reference: market.randomReference(), payBefore })
      const item = tx.create(PurchaseItemRow, { purchaseId: purchase.id, place: 1, listingId, seller, tokenType, amount, lamports })
      await tx.insert(PurchaseRow, purchase)
      await tx.insert(PurchaseItemRow, item)
      await tx.update(ListingRow, { id: listingId }, { heldBy: purchase.id, heldUntil: payBefore })
      await tx.insert(EventRow, [market.listingEvent('listing.held', listing), market.purchaseEvent(purchase.id, buyer, [seller])])
      purchase.items = [item]
      return purchase
    })
  }

  async confirm(buyer: string, listingId: string, text: unknown): Promise<market.Purchase> {
    const [purchase] = await this.database.manager.find(PurchaseRow, {
      where: { buyer, items: { listingId } },
      relations: { items: true },
      order: { createdAt: 'desc' },
    })
    if (!purchase) throw new market.Refusal(404, 'NO_HOLD')
    return purchase.status === 'settled' ? purchase : this.settle(purchase, text)
  }

  private async settle(purchase: market.Purchase, text: unknown): Promise<market.Purchase> {
    const { id, buyer, items } = purchase
    const { signature, slot, bytes } = await this.chain.payment(text, purchase)
    return this.database.transaction(async (tx) => {
      const listings = await tx.find(ListingRow, { where: { id: In(items.map((item) => item.listingId)) }, order: { id: 'asc' }, lock })
      const locked = await tx.findOne(PurchaseRow, { where: { id }, lock })
      if (locked?.status !== 'held') throw new market.Refusal(409, 'PAID_BEFORE')
      await tx.insert(PaymentRow, { signature, purchaseId: id, slot: String(slot), transactionBytes: Buffer.from(bytes) })
      const settledAt = new Date()
      for (const listing of listings) {
        const { tokenType, amount, seller } = listing
        await tx.update(ListingRow, { id: listing.id }, { status: 'sold', closedAt: settledAt, heldBy: null, heldUntil: null })
        await tx.insert(TransferRow, { tokenType, amount, fromListing: listing.id, toWallet: buyer })
        const { affected } = await tx.increment(BalanceRow, { wallet: buyer, tokenType }, 'amount', amount)
        if (!affected) await tx.insert(BalanceRow, { wallet: buyer, tokenType, amount: String(amount) })
        await tx.insert(EventRow, [
          market.listingEvent('listing.sold', listing),
          market.purchaseEvent(id, buyer, [seller]),
          market.balanceEvent(buyer),
        ])
      }
      await tx.update(PurchaseRow, { id }, { status: 'settled', signature, settledAt })
      return { ...purchase, status: 'settled', signature, settledAt }
    })
  }
}

@Controller('api/marketplace')
class PurchasesController {
  constructor(
    @Inject(Purchases) private readonly purchases: Purchases,
    @Inject(SETTINGS) private readonly settings: market.PeerSettings,
  ) {}

  @Post('buy/:id')
  @HttpCode(200)
  async buy(@Headers('authorization') authorization: string | undefined, @Param('id') id: string) {
    return answer(async () => {
      const buyer = await this.purchases.buyerOf(authorization)
      return market.holdReply(await this.purchases.hold(buyer, market.requireId(id)), this.settings)
    })
  }

  @Post('confirm-purchase')
  @HttpCode(200)
  async confirm(@Headers('authorization') authorization: string | undefined, @Body() body: Record<string, unknown>) {
    return answer(async () => {
      const buyer = await this.purchases.buyerOf(authorization)
      const purchase = await this.purchases.confirm(buyer, market.requireId(body['listingId']), body['transactionSignature'])
      return market.purchaseReply(purchase, this.settings)
    })
  }
}

async function answer<Reply>(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof market.Refusal) throw new HttpException({ error: error.code, code: error.code }, error.status)
    throw error
  }
}

@Module({})
class AppModule {}

function moduleOf(settings: market.PeerSettings): DynamicModule {
  const typeorm = TypeOrmModule.forRoot({
    type: 'postgres',
    url: settings.databaseUrl,
    entities,
    poolSize: market.CONNECTIONS,
    synchronize: false,
  })
  const providers = [Purchases, { provide: SETTINGS, useValue: settings }, { provide: CHAIN, useValue: openChain(settings.rpcUrl) }]
  return { module: AppModule, imports: [typeorm], controllers: [PurchasesController], providers }
}

/** Buying with NestJS, on Express as it is by default, and TypeORM. */
await runPeer(async (settings) => {
  const app = await NestFactory.create<NestExpressApplication>(moduleOf(settings), { logger: ['error'] })
  app.disable('x-powered-by')
  await app.init()
  return app.getHttpAdapter().getInstance()
})
