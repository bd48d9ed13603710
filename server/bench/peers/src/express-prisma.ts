import { randomUUID } from 'node:crypto'

import { PrismaPg } from '@prisma/adapter-pg'
import express, { type NextFunction, type Request, type Response } from 'express'

import { PrismaClient } from '../generated/client.js'
import { openChain } from './chain.js'
import * as market from './market.js'
import { runPeer } from './run-peer.js'

/** Buying with Express and Prisma. */
await runPeer(async (settings) => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: settings.databaseUrl, max: market.CONNECTIONS }) })
  const chain = openChain(settings.rpcUrl)
  const transaction = { maxWait: 20_000, timeout: 20_000 }

  const buyerOf = async ({ headers }: Pick<Request, 'headers'>) => {
    const tokenHash = market.hashToken(headers.authorization)
    return market.requireSession(await prisma.session.findUnique({ where: { tokenHash } })).wallet
  }

  const hold = async (buyer: string, listingId: string) => {
    const balance = await chain.balance(buyer)
    return prisma.$transaction(async (tx) => {
      // Prisma has no call that locks rows.
      const [player] = await tx.$queryRaw<{ blocked: boolean }[]>`select blocked from players where wallet = ${buyer} for update`
      const [row] = await tx.$queryRaw<market.Listing[]>`
        select id, seller, token_type as "tokenType", amount, lamports, status, held_by as "heldBy"
        from listings where id = ${listingId}::uuid for update`
      const open = await tx.purchase.findMany({ where: { buyer, status: 'held' }, include: { items: true } })
      const listing = market.checkHold({ buyer, blocked: player?.blocked ?? true, listing: row, open, balance })
      const { seller, tokenType, amount, lamports } = listing
      const payBefore = new Date(Date.now() + settings.holdSeconds * 1_000)
      const item = { place: 1, listingId, seller, tokenType, amount, lamports }
      const purchase = await tx.purchase.create({
        data: { id: randomUUID(), buyer, lamports, reference: market.randomReference(), payBefore, items: { create: item } },
        include: { items: true },
      })
      await tx.listing.update({ where: { id: listingId }, data: { heldBy: purchase.id, heldUntil: payBefore } })
      await tx.event.createMany({
        data: [market.listingEvent('listing.held', listing), market.purchaseEvent(purchase.id, buyer, [seller])],
      })
      return purchase
    }, transaction)
  }

  const settle = async (purchase: market.Purchase, text: unknown) => {
    const { buyer } = purchase
    const { signature, slot, bytes } = await chain.payment(text, purchase)
    return prisma.$transaction(async (tx) => {
      await tx.$queryRaw`select id from listings where id = any(${purchase.items.map((item) => item.listingId)}::uuid[]) order by id for update`
      const [locked] = await tx.$queryRaw<{ status: string }[]>`select status from purchases where id = ${purchase.id}::uuid for update`
      if (locked?.status !== 'held') throw new market.Refusal(409, 'PAID_BEFORE')
      await tx.payment.create({ data: { signature, purchaseId: purchase.id, slot, transactionBytes: bytes } })
      const now = new Date()
      for (const { listingId, seller, tokenType, amount } of purchase.items) {
        const listing = await tx.listing.update({
          where: { id: listingId },
          data: { status: 'sold', closedAt: now, heldBy: null, heldUntil: null },
        })
        await tx.transfer.create({ data: { tokenType, amount, fromListing: listingId, toWallet: buyer } })
        await tx.balance.upsert({
          where: { wallet_tokenType: { wallet: buyer, tokenType } },
          create: { wallet: buyer, tokenType, amount },
          update: { amount: { increment: amount } },
        })
        await tx.event.createMany({
          data: [
            market.listingEvent('listing.sold', listing),
            market.purchaseEvent(purchase.id, buyer, [seller]),
            market.balanceEvent(buyer),
          ],
        })
      }
      return tx.purchase.update({
        where: { id: purchase.id },
        data: { status: 'settled', signature, settledAt: now },
        include: { items: true },
      })
    }, transaction)
  }

  const app = express()
  app.disable('x-powered-by')
  app.use(express.json())

  app.post('/api/marketplace/buy/:id', async (request, response) => {
    const buyer = await buyerOf(request)
    response.json(market.holdReply(await hold(buyer, market.requireId(request.params.id)), settings))
  })

  app.post('/api/marketplace/confirm-purchase', async (request: Request<unknown, unknown, Record<string, unknown>>, response) => {
    const buyer = await buyerOf(request)
    const listingId = market.requireId(request.body['listingId'])
    const purchase = await prisma.purchase.findFirst({
      where: { buyer, items: { some: { listingId } } },
      include: { items: true },
      orderBy: { createdAt: 'desc' },
    })
    if (!purchase) throw new market.Refusal(404, 'NO_HOLD')
    const settled = purchase.status === 'settled' ? purchase : await settle(purchase, request.body['transactionSignature'])
    response.json(market.purchaseReply(settled, settings))
  })

  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { status, code } = error instanceof market.Refusal ? error : { status: 500, code: 'INTERNAL' }
    if (status === 500) process.stderr.write(`${String(error)}\n`)
    response.status(status).json({ error: code, code })
  })
  return app
})
